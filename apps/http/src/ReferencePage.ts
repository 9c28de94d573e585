/**
 * `GET /reference`: the operations as a page for people. It is one document without scripts and without data of a session, so it
 * needs no token.
 */
import * as OperationTable from "./OperationTable.ts"

/** The style of the page; the policy of the server allows only this text. */
export const style = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
code,pre{font:13px/1.5 ui-monospace,monospace}nav{columns:14rem;margin:1rem 0}nav a{display:block}
section{border-top:1px solid #8884;padding:.5rem 0}h2{font-size:1.05rem;margin:.5rem 0}h2 small{font-weight:normal;opacity:.7}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.15rem .6rem .15rem 0}`

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const fields = ({ fields: all }: OperationTable.Row): string =>
  all.length === 0
    ? "<p>No fields.</p>"
    : `<table><tr><th>field</th><th>type</th><th>meaning</th></tr>${all
        .map(
          ({ description, name, required, type }) =>
            `<tr><td><code>${escape(name)}</code>${required ? " (required)" : ""}</td><td><code>${escape(type)}</code></td><td>${escape(description)}</td></tr>`
        )
        .join("")}</table>`

const section = (row: OperationTable.Row): string =>
  `<section id="${escape(row.tag)}"><h2><code>POST ${escape(row.path)}</code> <small>tier ${escape(row.tier)} · sigtrap ${escape(row.words)}</small></h2><p>${escape(row.description)}</p>${fields(row)}</section>`

/** Returns the page of a server that answers at `url`. */
export const page = (url: string, version: string): string => {
  const rows = OperationTable.rows()
  const links = rows.map(
    ({ summary, tag, words }) => `<a href="#${escape(tag)}" title="${escape(summary)}">${escape(words)}</a>`
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>sigtrap HTTP API</title><style>${style}</style></head><body><h1>sigtrap ${escape(version)}: HTTP API</h1>
<p>Each operation is a POST with a JSON body and the header <code>Authorization: Bearer TOKEN</code>. The answer is <code>{"ok":true,"data":…}</code>, or <code>{"ok":false,"error":{"code","message","hints"}}</code> with the status of the error. <code>/openapi.json</code> is the whole document, <code>/v1/operations</code> this table as JSON, <code>POST /v1/stream</code> the events and the output of sessions.</p>
<pre>curl -s ${escape(url)}/v1/status -H "Authorization: Bearer $(cat TOKEN_FILE)" -H 'Content-Type: application/json' -d '{}'</pre>
<nav>${links.join("")}</nav>${rows.map(section).join("")}</body></html>`
}
