/**
 * Simulators: this is not the machine for them (8), their tool is missing (8), or no device is meant (6).
 */
import * as Schema from "effect/Schema"
import { code, Strings, where } from "./Base.ts"

/** This operating system cannot do it. */
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

/** A tool that it needs is not here, or cannot be used. */
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
 * No device, several, or one that is not available is meant; `kind` says which: unknown, ambiguous,
 * unavailable, none_booted; `candidates` are those that come into question.
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
