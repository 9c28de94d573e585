/**
 * Why rows miss their targets, by the name of the row. A row that reaches its target again is not listed, whatever is written here.
 */
export const reasons: Readonly<Record<string, string>> = {
  "MCP: status":
    "A call is two round trips: over the pipes of the server's process, and over the socket to the daemon. Programs that do nothing else take 1.7 to 3 times as long as over the socket (table of the smallest programs). Of 190 µs in the server the two writes take 70, reading the answer of the daemon 20, the collector of V8 and rendering the answer 15 each. The rest is spread over the library's steps.",
  "HTTP: status":
    "The same call as over the socket, and the head, token and body of a request. A program that answers such requests and does nothing else takes 1.5 to 2.6 times as long as over a socket (table of the smallest programs). The rest is the library's routing around the call.",
  "command line in the daemon: status":
    "The words are parsed, the files of the configuration are looked at, and the answer is rendered in the daemon.",
  "idle daemon, before its first session":
    "Node alone takes half of it. The rest is the code of all operations, and the part of Node's own code that it uses.",
  "sigtrap status":
    "With a running daemon: the smallest client of this daemon takes 1.08 to 1.11 times the floor, and of a server that answers at once 1.01 times. The rest is a script of 10 KB that checks the runtime directory, connects and prints. Without a daemon: two starts of Node, one after the other, and the daemon loads and evaluates 1 MB of code before it listens, and creates the schemas of its first answer.",
  "sigtrap status (executable)":
    "For an answer that it contains the executable takes 1.2 times the floor. The rest is the exchange with the daemon.",
  next: "Beside these requests a report compares the values with those of the stop before, and records the stop and the call. Most of the rest is computation in the daemon.",
  dap: "LLDB takes 0.2 ms for a breakpoint in a file whose modules are known. The rest is computation in the daemon: its call, its record and its event.",
  "lldb-cli":
    "LLDB takes 0.2 ms for a breakpoint in a file whose modules are known. The rest is computation in the daemon: its call, its record and its event.",
  "dap, together":
    "LLDB takes 0.2 ms for each. The rest is computation in the daemon: 800 calls, their records and their events.",
  "lldb-cli, together":
    "LLDB takes 0.2 ms for each. The rest is computation in the daemon: 800 calls, their records and their events.",
  "again, at the next stop, dap":
    "LLDB finds the elements anew at each stop, and alone takes about 200 ms. sigtrap corrects how it finds them. LLDB then runs Python twice for each element, for the element and for its summary. Inside one command this takes 0.1 ms for each element. The rest is the value itself, the request for its page, and the question whether there are more elements.",
  "again, at the next stop, lldb-cli":
    "LLDB finds the elements anew at each stop, and alone takes about 200 ms. sigtrap corrects how it finds them. LLDB then runs Python twice for each element, for the element and for its summary. Inside one command this takes 0.1 ms for each element. The rest is the value itself, the request for its page, and the question whether there are more elements.",
  "decode, 64 KiB chunks":
    "Of a small message the header is read and the text is cut out, which the floor does not do. A message of several MiB is copied to one buffer, and its values are counted before it is parsed.",
  "decode, random chunks":
    "Of a small message the header is read and the text is cut out, which the floor does not do; one at the end of a chunk is copied. A message of several MiB is copied to one buffer, and its values are counted before it is parsed.",
  encode:
    "The header is part of the bytes: of a small message, writing it is a tenth of the work. The floor writes none.",
  "memory kept after these pages, after a collection":
    "V8's code for these calls is counted, too: it grew by 0.8 MB in 600 calls and by 2 MB in 3,600, and then no more. The 8 newest blocks of masked output are kept for the next page.",
  "memory kept after everything was read":
    "V8's code for these calls is counted, too: it grew by 0.8 MB in 600 calls and by 2 MB in 3,600, and then no more. The 8 newest blocks of masked output are kept for the next page.",
  "output --json": "The text is in the answer twice: in its entries, and joined."
}
