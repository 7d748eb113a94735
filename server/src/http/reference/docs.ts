import { allRoutes, errorCodes, type RouteSpec, scopeMeanings } from '@diorama/contract'

/** The reference where the console, which brings the interactive one, is not built: one page without scripts. */
export const docsPage = (baseUrl: string): string => {
  const byTag = Object.groupBy(
    Object.entries(allRoutes as Record<string, RouteSpec>),
    ([, route]) => route.tag,
  )
  const sections = Object.entries(byTag).map(
    ([tag, routes = []]) =>
      `<section id="${slug(tag)}"><h2>${text(tag)}</h2>${routes.map(([name, route]) => entry(name, route)).join('')}</section>`,
  )
  const nav = Object.keys(byTag).map((tag) => `<a href="#${slug(tag)}">${text(tag)}</a>`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Diorama API reference</title><style>${style}</style></head><body>
<nav><b>Diorama</b>${nav.join('')}<a href="#errors">Errors</a><a href="#scopes">Scopes</a><a href="/openapi.json">OpenAPI 3.1</a></nav>
<main><h1>API reference</h1>
<p>Every request carries <code>Authorization: Bearer dk_…</code> and goes to <code>${text(baseUrl)}</code>. Fields may be sent in snake_case or camelCase; replies use the spelling shown in <a href="/openapi.json">the OpenAPI document</a>.</p>
${sections.join('\n')}
<section id="errors"><h2>Errors</h2><table><tr><th>Status</th><th>Code</th><th>Meaning</th></tr>${Object.entries(
    errorCodes,
  )
    .map(
      ([code, { status, means }]) =>
        `<tr><td>${status}</td><td><code>${code}</code></td><td>${text(means)}</td></tr>`,
    )
    .join('')}</table></section>
<section id="scopes"><h2>Scopes</h2><table>${Object.entries(scopeMeanings)
    .map(([scope, means]) => `<tr><td><code>${scope}</code></td><td>${text(means)}</td></tr>`)
    .join('')}</table></section>
</main></body></html>`
}

const entry = (name: string, route: RouteSpec): string => {
  const fields = [
    ...Object.keys(route.params?.shape ?? {}).map((field) => `path <code>${field}</code>`),
    ...Object.keys(route.query?.shape ?? {}).map((field) => `query <code>${field}</code>`),
  ]
  return `<article id="${name}"><h3><span class="${route.method}">${route.method}</span> <code>${text(route.path)}</code></h3>
<p>${text(route.summary)}</p><p class="facts">scope <code>${route.scope}</code>${fields.length > 0 ? ` · ${fields.join(', ')}` : ''}${
    route.errors ? ` · errors ${route.errors.map((code) => `<code>${code}</code>`).join(', ')}` : ''
  }</p></article>`
}

const slug = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
const text = (raw: string) =>
  raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const style = `:root{color-scheme:light dark;--line:#8884;--dim:#777}body{margin:0;font:14px/1.5 system-ui,sans-serif;display:grid;grid-template-columns:200px 1fr}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:20px;border-right:1px solid var(--line);box-sizing:border-box;display:flex;flex-direction:column;gap:6px}
nav a{color:inherit;text-decoration:none}nav a:hover{text-decoration:underline}main{padding:24px 32px;max-width:900px;min-width:0}
article{border-top:1px solid var(--line);padding:10px 0}h3{font-size:14px;margin:0;overflow-wrap:anywhere}p{margin:4px 0}.facts{color:var(--dim);font-size:12px}
code{font:12.5px ui-monospace,monospace}h3 span{display:inline-block;min-width:56px;font:600 12px ui-monospace,monospace}
.GET{color:#0a7a6c}.POST{color:#2457c5}.PUT,.PATCH{color:#9a6700}.DELETE{color:#b42318}table{border-collapse:collapse}td,th{text-align:left;padding:4px 12px 4px 0;vertical-align:top}
@media(max-width:700px){body{display:block}nav{position:static;height:auto;border-right:0}}`
