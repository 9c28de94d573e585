/**
 * Errors of simulators: the platform or a tool is missing (exit code 8), or no simulator was found (6).
 */
import * as Schema from "effect/Schema"
import type * as Hint from "../answers/Hint.ts"
import * as Base from "./Base.ts"

/** The operation needs another operating system: simulators exist on macOS only. */
export class Platform extends Base.error<Platform>()(
  "Platform",
  Base.advised,
  { what: Schema.String, platform: Schema.String },
  Base.code("Platform", "PLATFORM", 8, 501)
) {
  override get message() {
    return `${this.what} need macOS with Xcode; this is ${this.platform}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/** A required tool is missing or cannot be used. */
export class ToolMissing extends Base.error<ToolMissing>()(
  "ToolMissing",
  Base.advised,
  { tool: Schema.String, detail: Schema.String },
  Base.code("ToolMissing", "TOOL_MISSING", 8, 424, ["detail"])
) {
  override get message() {
    return `${this.tool} cannot be used: ${this.detail}`
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}

/**
 * The selector matches no simulator, several, or an unavailable one. `kind` is unknown, ambiguous, unavailable or
 * none_booted; `candidates` are the possible simulators.
 */
export class DeviceNotFound extends Base.error<DeviceNotFound>()(
  "DeviceNotFound",
  Base.advised,
  {
    selector: Schema.String,
    kind: Schema.String,
    detail: Schema.String,
    candidates: Base.Strings
  },
  Base.code("DeviceNotFound", "DEVICE_NOT_FOUND", 6, 404, ["detail", "candidates"])
) {
  override get message() {
    return this.detail
  }
  get hints(): Hint.Hints {
    return this.remedies
  }
}
