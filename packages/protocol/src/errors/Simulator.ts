/**
 * Errors of simulators: the platform or a tool is missing (exit code 8), or no simulator was found (6).
 */
import * as Schema from "effect/Schema"
import { code, Strings, where } from "./Base.ts"

/** The operating system does not support it. */
export class Platform extends Schema.TaggedError<Platform>()(
  "Platform",
  { ...where, what: Schema.String, platform: Schema.String, remedy: Schema.String },
  code("Platform", "PLATFORM", 8, 501)
) {
  override get message() {
    return `${this.what} need macOS with Xcode; this is ${this.platform}`
  }
  get hint() {
    return this.remedy
  }
}

/** A required tool is missing or cannot be used. */
export class ToolMissing extends Schema.TaggedError<ToolMissing>()(
  "ToolMissing",
  { ...where, tool: Schema.String, detail: Schema.String, remedy: Schema.String },
  code("ToolMissing", "TOOL_MISSING", 8, 424)
) {
  override get message() {
    return `${this.tool} cannot be used: ${this.detail}`
  }
  get hint() {
    return this.remedy
  }
}

/**
 * The selector matches no simulator, several, or an unavailable one. `kind` is unknown, ambiguous, unavailable or
 * none_booted; `candidates` are the possible simulators.
 */
export class DeviceNotFound extends Schema.TaggedError<DeviceNotFound>()(
  "DeviceNotFound",
  {
    ...where,
    selector: Schema.String,
    kind: Schema.String,
    detail: Schema.String,
    candidates: Strings,
    remedy: Schema.String
  },
  code("DeviceNotFound", "DEVICE_NOT_FOUND", 6, 404)
) {
  override get message() {
    return this.detail
  }
  get hint() {
    return this.remedy
  }
}
