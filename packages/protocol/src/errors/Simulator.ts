/**
 * Simulators: this is not the machine for them (8), their tool is missing (8), or no device is meant (6).
 */
import * as Schema from "effect/Schema"
import type * as Hint from "../Hint.ts"
import { advised, code, Strings } from "./Base.ts"

/** This operating system cannot do it. */
export class Platform extends Schema.TaggedError<Platform>()(
  "Platform",
  { ...advised, what: Schema.String, platform: Schema.String },
  code("Platform", "PLATFORM", 8, 501)
) {
  override get message() {
    return `${this.what} need macOS with Xcode; this is ${this.platform}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** A tool that it needs is not here, or cannot be used. */
export class ToolMissing extends Schema.TaggedError<ToolMissing>()(
  "ToolMissing",
  { ...advised, tool: Schema.String, detail: Schema.String },
  code("ToolMissing", "TOOL_MISSING", 8, 424)
) {
  override get message() {
    return `${this.tool} cannot be used: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/**
 * No device, several, or one that is not available is meant; `kind` says which: unknown, ambiguous,
 * unavailable, none_booted; `candidates` are those that come into question.
 */
export class DeviceNotFound extends Schema.TaggedError<DeviceNotFound>()(
  "DeviceNotFound",
  { ...advised, selector: Schema.String, kind: Schema.String, detail: Schema.String, candidates: Strings },
  code("DeviceNotFound", "DEVICE_NOT_FOUND", 6, 404)
) {
  override get message() {
    return this.detail
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}
