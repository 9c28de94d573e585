/** The scenarios that run through both backends. */
import { ask, type Scenario } from "./differentialQuestions.ts"

const look = [ask("context", {}), ask("backtrace", {}), ask("locals", {}), ask("args", {}), ask("threads", {})] as const

/** A known difference between the backends: its title in docs/known-gaps.md and a pattern of the differences. */
export const differences: ReadonlyArray<readonly [title: string, form: RegExp]> = [
  ["Symbols of modules", /^modules \{\} \.data\.modules\.\d+\.(?:symbols|symbol_file|address): /],
  ["Who writes a logpoint", /\.by: "adapter" \| "manager"$/],
  ["Children of `fork`", /\.children: \[\{"followed":false\}\] \| -$/]
]

/** What is asked of both. */
export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "a C program from its first breakpoint to its end",
    program: "app",
    start: { break: ["sum_scores"], args: ["one", "two words"] },
    steps: [
      ...look,
      ask("breakpoint.list", {}),
      ask("next", {}),
      ask("next", {}),
      ask("changed", {}),
      ask("print", { expressions: ["total", "items[i].score", "items", "items[0]", "(int)items[i].score + 1", "&n"] }),
      ask("print", { expressions: ["n"], format: "hex" }),
      ask("expand", { target: "items", depth: 2, start: 0, count: 3 }),
      ask("up", {}),
      ask("locals", {}),
      ask("expand", { target: "items", depth: 2, start: 1, count: 2 }),
      ask("expand", { target: "argv", depth: 2 }),
      ask("down", {}),
      ask("set", { target: "total", value: "7" }),
      ask("eval", { expression: "total * 2" }),
      ask("memory.read", { address: "&n", count: 4 }),
      ask("memory.write", { address: "&n", hex: "02 00 00 00" }),
      ask("registers", {}),
      ask("disassemble", { count: 8 }),
      ask("modules", {}),
      ask("files", {}),
      ask("type", { name: "item" }),
      ask("complete", { text: "items->s" }),
      ask("stepi", {}),
      ask("nexti", {}),
      ask("breakpoint.remove", { all: true }),
      ask("finish", {}),
      ask("step", {}),
      ask("until", { at: "28" }),
      ask("continue", {}),
      ask("output", {}),
      ask("context", {}),
      ask("locals", {})
    ]
  },
  {
    name: "questions that have no answer",
    program: "app",
    start: { break: ["app.c:15"] },
    steps: [
      ask("print", { expressions: ["itens"] }),
      ask("print", { expressions: ["n +"] }),
      ask("print", { expressions: ["*(int *)0"] }),
      ask("print", { expressions: ["n++"] }),
      ask("eval", { expression: "nosuch(1)" }),
      ask("set", { target: "n", value: "nosuch" }),
      ask("expand", { target: "n" }),
      ask("memory.read", { address: "0x10", count: 4 }),
      ask("memory.read", { address: "nosuch", count: 4 }),
      ask("memory.write", { address: "main", hex: "90" }),
      ask("disassemble", { at: "0x10", count: 4 }),
      ask("frame", { index: "77" }),
      ask("thread", { id: 77 }),
      ask("type", { name: "nosuch" }),
      ask("break", { at: "nosuch" }),
      ask("break", { at: "app.c:9999" }),
      ask("break", { at: "nosuch.c:1" }),
      ask("break", { at: "app.c:16", condition: "nosuch == 1" }),
      ask("watch", { expression: "nosuch" }),
      ask("catch", { filter: "nosuch" }),
      ask("until", { at: "9999" }),
      ask("exception", {}),
      ask("breakpoint.list", {}),
      ask("continue", {})
    ]
  },
  {
    name: "breakpoints of every kind, moved, counted and conditional",
    program: "counted",
    start: { break: ["main"] },
    steps: [
      ask("break", { at: "counted.c:24" }),
      ask("break", { at: "/^finish_/" }),
      ask("break", { at: "work", condition: "n == 4" }),
      ask("break", { at: "counted.c:26", hits: "3" }),
      // There is no code there: it moves.
      ask("break", { at: "counted.c:22" }),
      ask("logpoint", { at: "counted.c:9", message: "n={n}" }),
      ask("breakpoint.list", {}),
      ask("breakpoint.lines", { at: "counted.c:20" }),
      ask("continue", {}),
      ask("breakpoint.info", { id: 1 }),
      ask("breakpoint.disable", { ids: [2] }),
      ask("continue", {}),
      ask("continue", {}),
      ask("breakpoint.list", {}),
      ask("watch", { expression: "written" }),
      ask("continue", {}),
      ask("breakpoint.list", {}),
      ask("breakpoint.remove", { all: true }),
      ask("continue", { to: "finish_up" }),
      ask("continue", {}),
      ask("output", {})
    ]
  },
  {
    name: "threads, one of which stops",
    program: "threads",
    start: { break: ["threads.c:62"] },
    steps: [
      ask("threads", {}),
      ask("backtrace", {}),
      ask("locals", {}),
      ask("next", {}),
      ask("continue", {}),
      ask("output", {})
    ]
  },
  {
    name: "output on two streams, and an exit code",
    program: "two_streams",
    start: { break: ["two_streams.c:12"] },
    steps: [
      ask("output", { channel: ["stdout"] }),
      ask("output", { channel: ["stderr"] }),
      ask("finish", {}),
      ask("continue", {}),
      ask("status", {})
    ]
  },
  {
    name: "calls, stepped into and out of",
    program: "crash",
    start: { break: ["main"] },
    steps: [
      ask("step", {}),
      ask("step", {}),
      ask("next", {}),
      ask("step", {}),
      ask("backtrace", {}),
      ask("up", { count: 2 }),
      ask("source", {}),
      ask("nexti", { count: 2 }),
      ask("finish", {}),
      ask("exception", {})
    ]
  },
  {
    name: "a recursion, by pages",
    program: "deep",
    start: { break: ["leaf"] },
    steps: [
      ask("backtrace", { limit: 5 }),
      ask("frame", { index: "2999" }),
      ask("locals", {}),
      ask("expand", { target: "numbers", start: 999_990, count: 5 }),
      ask("frame", { function: "main" }),
      ask("globals", {}),
      ask("continue", {})
    ]
  },
  {
    name: "a crash",
    program: "crash",
    start: {},
    steps: [...look, ask("exception", {}), ask("print", { expressions: ["node", "node->value"] }), ask("continue", {})]
  },
  {
    name: "containers and classes of C++",
    program: "shapes",
    start: { break: ["shapes.cpp:61"] },
    steps: [
      ...look,
      ask("expand", { target: "numbers" }),
      ask("expand", { target: "areas", depth: 2 }),
      ask("expand", { target: "greeting" }),
      ask("print", { expressions: ["numbers", "greeting", "areas", "uncaught", "numbers.size()"] }),
      ask("break", { at: "Square::area" }),
      ask("catch", { filter: "cpp_throw" }),
      ask("catch.list", {}),
      ask("continue", {}),
      ask("exception", {}),
      ask("backtrace", {}),
      ask("continue", {})
    ]
  },
  {
    name: "an uncaught exception",
    program: "shapes",
    start: { args: ["throw"] },
    steps: [ask("backtrace", {}), ask("exception", {}), ask("context", {}), ask("continue", {})]
  },
  {
    name: "a program that forks",
    program: {
      language: "c",
      source: [
        "#include <stdio.h>",
        "#include <sys/wait.h>",
        "#include <unistd.h>",
        "int in_child(int n) { return n + 1; }",
        "int main(void) {",
        "  int status = 0;",
        "  int parent = fork() != 0;",
        "  if (!parent) _exit(in_child(4));",
        "  wait(&status);",
        '  printf("child ended with %d\\n", WEXITSTATUS(status));',
        "  return 0;",
        "}",
        ""
      ].join("\n")
    },
    start: { break: ["main", "in_child"] },
    steps: [ask("next", {}), ask("next", {}), ask("next", {}), ask("continue", {}), ask("output", {})]
  },
  {
    name: "values of every shape",
    program: {
      language: "c",
      source: [
        "#include <stdio.h>",
        "#include <stdbool.h>",
        "#include <wchar.h>",
        "enum colour { RED, GREEN = 5 };",
        "union number { int i; float f; char bytes[4]; };",
        "typedef struct { int x, y; } point;",
        "struct inner { short a; unsigned char b; };",
        "struct big {",
        "  int numbers[200]; char text[32]; const char *string; struct inner inner; union number number; enum colour colour;",
        "  point points[3]; struct big *next; void *nothing; int (*function)(const char *); bool yes; double real; float small;",
        "  long long wide; unsigned bits : 3; int matrix[2][3]; struct { int unnamed; }; wchar_t letter; char quote;",
        "};",
        "static int counter = 7;",
        "int work(const struct big *big) { return big->numbers[3] + counter; }",
        "int main(void) {",
        '  struct big one = {{1, 2, 3}, "a\\nb\\"c\\\\\\x01", "tab\\there \\xc3\\xa9", {-5, 200}, {1065353216}, GREEN,',
        "    {{1, 2}, {3, 4}}, 0, 0, puts, true, 0.1, 2.5f, -1, 5, {{1, 2, 3}, {4, 5, 6}}, {9}, L'x', '\\''};",
        "  struct big two = one; two.next = &one; int *pointer = &one.numbers[1]; int **again = &pointer;",
        '  const char *words[] = {"one", "two", 0}; volatile int last = work(&two);',
        "  return last + *pointer + **again + (words[0] == 0);",
        "}",
        ""
      ].join("\n")
    },
    start: { break: ["work"] },
    steps: [
      ask("up", {}),
      ask("locals", {}),
      ask("locals", { depth: 2 }),
      ask("expand", { target: "two", depth: 1 }),
      ask("expand", { target: "two", depth: 2, count: 40 }),
      ask("expand", { target: "two.numbers", start: 190, count: 20 }),
      ask("expand", { target: "two.points", depth: 2 }),
      ask("expand", { target: "two.matrix", depth: 2 }),
      ask("expand", { target: "two.next" }),
      ask("expand", { target: "two.inner" }),
      ask("expand", { target: "two.number" }),
      ask("expand", { target: "words", depth: 2 }),
      ask("expand", { target: "again", depth: 2 }),
      ask("print", {
        expressions: [
          "one.text",
          "one.string",
          "one.colour",
          "one.function",
          "one.nothing",
          "one.yes",
          "one.real",
          "one.small"
        ]
      }),
      ask("print", {
        expressions: ["one.wide", "one.bits", "one.unnamed", "one.letter", "one.quote", "&one.points[1]", "pointer"]
      }),
      ask("print", {
        expressions: ["two.next->points[1]", "*two.next->next", "sizeof one", "one.matrix[1]", "one.points"]
      }),
      ask("print", { expressions: ["pointer"], array: 3 }),
      ask("set", { target: "one.points[1].x", value: "33" }),
      ask("set", { target: "one.real", value: "2.5" }),
      ask("set", { target: "one.colour", value: "RED" }),
      ask("print", { expressions: ["one.points[1].x", "one.real", "one.colour"] }),
      ask("globals", {}),
      ask("type", { name: "big" }),
      ask("type", { name: "big", layout: true }),
      ask("continue", {})
    ]
  }
]
