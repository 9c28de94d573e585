import { expect, it } from "vitest"
import * as FunctionName from "../../src/text/FunctionName.ts"

it.each([
  ["main", "main"],
  ["virtual thunk to Both::size() const", "virtual thunk to Both::size"],
  ["add(int, int)", "add"],
  ["::worker1()", "worker1"],
  ["::driver(int) [inlined] Acc::add(int)", "Acc::add"],
  ["main [inlined] leaf", "leaf"],
  ["Named::greet[abi:cxx11](int) const", "Named::greet"],
  [
    "Bank::deposit(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>> const&, int)",
    "Bank::deposit"
  ],
  ["std::vector<int, std::allocator<int>>::push_back(int const&)", "std::vector<int>::push_back"],
  ["std::function<int (int)>::operator()(int) const", "std::function<int (int)>::operator()"],
  [
    "void std::__invoke_impl<void, void (*)()>(std::__invoke_other, void (*&&)())",
    "std::__invoke_impl<void, void (*)()>"
  ],
  [
    "std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, int, std::less<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >, std::allocator<std::pair<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const, int> > >::at(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)",
    "std::map<std::string, int>::at"
  ],
  ["(anonymous namespace)::f(int)", "(anonymous namespace)::f"],
  ["main(int, char**)::<lambda(int)>::operator()(int) const", "main::<lambda(int)>::operator()"],
  ["main::$_0::operator()(int) const", "main::$_0::operator()"],
  ["Point::operator<(Point const&) const", "Point::operator<"],
  ["operator<<(std::ostream&, Point const&)", "operator<<"],
  ["Point::operator->() const", "Point::operator->"],
  ["Point::operator bool() const", "Point::operator bool"],
  ["operator new(unsigned long)", "operator new"],
  ["Derived::~Derived()", "Derived::~Derived"],
  ["int max<int>(int, int)", "max<int>"],
  ["f(int) [clone .cold]", "f"],
  ["f(void (*)(int), int)", "f"],
  ["rust_app::sum::h8da7fa642d137fc6", "rust_app::sum"],
  ["_$LT$app..Dog$u20$as$u20$app..Speak$GT$::speak::h7b07aa642d137fc6", "<app::Dog as app::Speak>::speak"],
  ["std::rt::lang_start::_$u7b$$u7b$closure$u7d$$u7d$::h6d4d976597e30155", "std::rt::lang_start::{{closure}}"],
  ["<rust_app::Circle as rust_app::Shape>::area::h8da7fa642d137fc6", "<rust_app::Circle as rust_app::Shape>::area"],
  [
    "core::ops::function::FnOnce::call_once{{vtable.shim}}::h8da7fa642d137fc6",
    "core::ops::function::FnOnce::call_once{{vtable.shim}}"
  ],
  [
    "decltype(__char_traits_cmp_cat<std::char_traits<char>>(0)) std::operator<=><char>(std::string const&, std::string const&)",
    "std::operator<=><char>"
  ],
  ["decltype (a.size()) shop::count<int>(int)", "shop::count<int>"],
  ["main.(*Bank).Deposit", "main.(*Bank).Deposit"],
  ["main.(*Stack[go.shape.func(int) bool_0]).Push", "main.(*Stack[go.shape.func(int) bool_0]).Push"],
  ["gopkg.in/yaml%2ev3.(*decoder).unmarshal", "gopkg.in/yaml%2ev3.(*decoder).unmarshal"],
  ["main.main.func1", "main.main.func1"],
  ["-[Bank deposit:for:]", "-[Bank deposit:for:]"],
  ["<module>", "<module>"],
  ["Bank.deposit", "Bank.deposit"],
  ["<anonymous>", "<anonymous>"]
])("shortens %s", (name, short) => {
  expect(FunctionName.short(name)).toBe(short)
})

it("keeps unbalanced names", () => {
  for (const name of ["f(", "a<b", "x)>", "operator(", "((((", "<<<>>"])
    expect(FunctionName.short(name).length).toBeGreaterThan(0)
})
