/**
 * The icons: 16 px, 1.4 px stroke, round ends. An icon is decoration beside a word; an icon alone is in a button with a name.
 */

const paths = {
  play: "M4.5 3v10l8.5-5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  over: "M2.5 9a5.5 5.5 0 0 1 10.4-2.4M13.2 3.4v3.4H9.8M8 12.5h.01",
  into: "M8 2.5v7M5 7l3 3 3-3M8 13.5h.01",
  out: "M8 10V3M5 5.5l3-3 3 3M8 13.5h.01",
  until: "M2.5 8h8M8 5l3 3-3 3M13.5 3.5v9",
  restart: "M12.8 8.2a4.8 4.8 0 1 1-1.5-3.6M11.5 2.5v2.6H8.9",
  stop: "M4.5 4.5h7v7h-7z",
  search: "M7 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM10 10l3 3",
  menu: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  down: "M5 6.5l3 3 3-3",
  right: "M6.5 5l3 3-3 3",
  plus: "M8 4v8M4 8h8",
  close: "M5 5l6 6M11 5l-6 6",
  copy: "M6 6h6.5v6.5H6zM4 9.5V3.5h6",
  pin: "M6 2.5h4v4l1.5 2.5h-7L6 6.5zM8 9v4.5",
  eye: "M1.5 8s2.5-4.5 6.5-4.5S14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 9.6a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2z",
  filter: "M2.5 4.5h11M4.5 8h7M6.5 11.5h3",
  list: "M3 4.5h10M3 8h10M3 11.5h7",
  hand: "M5 8V4.5a1 1 0 0 1 2 0V7M7 7V3.5a1 1 0 0 1 2 0V7M9 7V4.5a1 1 0 0 1 2 0V9.5a4 4 0 0 1-7 2.5L2.8 9.8a1 1 0 0 1 1.7-1L5 9.5",
  link: "M6.5 9.5l3-3M5 7.5L3.5 9a2.5 2.5 0 0 0 3.5 3.5L8.5 11M11 8.5L12.5 7A2.5 2.5 0 0 0 9 3.5L7.5 5",
  bolt: "M9 2L4 9h4l-1 5 5-7H8z",
  warn: "M8 2.5l6.2 11H1.8z",
  box: "M3.5 3.5h9v9h-9z",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2 1.5",
  edit: "M3 13l.7-2.7 7.3-7.3 2 2-7.3 7.3z"
} as const

/** The name of an icon. */
export type IconName = keyof typeof paths

/** Icons whose shape is filled. */
const filled: ReadonlySet<string> = new Set(["play", "stop", "pause", "warn"])

/** Draws the icon of a name. Screen readers skip it. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" data-name={name} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} class={filled.has(name) ? "filled" : undefined} />
  </svg>
)
