import { assert, describe, it } from "@effect/vitest"
import * as UnrepeatableCalls from "../../../src/model/runs/UnrepeatableCalls.ts"

const kindOf = (name: string, isUser = false) => {
  const call = UnrepeatableCalls.of({ function: name }, isUser)
  if (call === undefined) return undefined
  if ("kind" in call) return call.kind
  return "path" in call ? call.path : `descriptor ${call.descriptor}`
}

describe("a call that another run may not repeat", () => {
  it.each([
    ["__vdso_clock_gettime", "the time"],
    ["__GI___clock_gettime", "the time"],
    ["__getpid", "process ids"],
    ["pthread_create", "another thread"],
    ["__pthread_create", "another thread"],
    ["std::random_device::_M_getval()", "random numbers"],
    ["__libc_open64", 0],
    ["openat64", 1],
    ["_IO_new_fopen", 0],
    ["__GI___mkdir", "a folder that it changes itself"],
    ["access", 0],
    ["__GI___readlink", 0],
    ["__readlinkat_chk", 1],
    ["realpath", 0],
    ["getloadavg", "the state of the machine"],
    ["__sysinfo", "the state of the machine"],
    ["semget", "another process"],
    ["__getsockopt", "the network"],
    ["__GI___sigtimedwait", "who sent a signal"],
    ["fstat64", "descriptor 0"],
    ["__fxstat", "descriptor 1"],
    ["puts", undefined],
    ["reopen", undefined]
  ])("is recognized by the name %s", (name, kind) => {
    assert.strictEqual(kindOf(name), kind)
  })

  it("is none of the user's own functions", () => {
    assert.isUndefined(kindOf("time", true))
    assert.isUndefined(kindOf("connect", true))
  })

  it.each([
    ["pipe:[48151]", true],
    ["socket:[2342]", true],
    ["anon_inode:[eventfd]", true],
    ["/memfd:x (deleted)", true],
    ["/home/me/input.txt", false]
  ])("examines a file without a path: %s %s", (target, isWithoutPath) => {
    assert.strictEqual(UnrepeatableCalls.isWithoutPath(target), isWithoutPath)
  })

  it.each([
    ["/dev/urandom", true],
    ["/proc/self/stat", true],
    ["/proc/self", true],
    ["/sys/kernel/uptime", true],
    ["/dev/null", false],
    ["/proc/self/maps", false],
    ["data/proc/x", false],
    ["/home/me/input.txt", false]
  ])("reads a file that differs from run to run: %s %s", (path, isVariable) => {
    assert.strictEqual(UnrepeatableCalls.isVariable(path), isVariable)
  })
})
