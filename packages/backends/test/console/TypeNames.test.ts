import { assert, it } from "@effect/vitest"
import * as TypeNames from "../../src/console/lldb/values/TypeNames.ts"

it("names the instances of templates as gcc does", () => {
  const names = {
    "P<long>": "P<long int>",
    "P<unsigned long, Q<short>>": "P<long unsigned int, Q<short int> >",
    "P<unsigned long long, long double, unsigned int>": "P<long long unsigned int, long double, unsigned int>",
    "P<long unsigned int, short int>": "P<long unsigned int, short int>",
    "ns::belong<char>": "ns::belong<char>"
  }
  for (const [name, expected] of Object.entries(names)) assert.strictEqual(TypeNames.ofGcc(name), expected)
})
