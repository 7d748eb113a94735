export interface NavigationEntry {
  readonly title: string
  readonly address: string
}

interface PageParts {
  readonly title: string
  /** The page as HTML. */
  readonly body: string
  readonly address: string
  readonly navigation: readonly NavigationEntry[]
  /** The relative address of another page. */
  readonly linkTo: (address: string) => string
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

export const pageHtml = ({ title, body, address, navigation, linkTo }: PageParts): string => {
  const link = ({ title: name, address: to }: NavigationEntry) =>
    `<li><a href="${linkTo(to)}"${to === address ? ' aria-current="page"' : ''}>${escaped(name)}</a></li>`
  const place = navigation.findIndex((entry) => entry.address === address)
  const neighbours = [navigation[place - 1], place < 0 ? undefined : navigation[place + 1]]
  const [before, after] = neighbours.map((entry) =>
    entry ? `<a href="${linkTo(entry.address)}">${escaped(entry.title)}</a>` : '<span></span>',
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)} · Diorama</title>
<link rel="stylesheet" href="${linkTo('style.css')}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Handbook">
<p><a href="${linkTo('index.html')}">Diorama</a></p>
<ul>${navigation.map(link).join('\n')}</ul>
</nav>
<main id="content">
${body}
<footer>${before}${after}</footer>
</main>
</body>
</html>
`
}

export const stylesheet = `:root { color-scheme: light dark; --line: light-dark(#ddd, #333); --soft: light-dark(#f5f5f4, #1d1d1f);
  --text: light-dark(#1c1c1e, #e8e8ea); --link: light-dark(#0a58ca, #7ab0ff); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 16px/1.6 system-ui, sans-serif;
  color: var(--text); background: light-dark(#fff, #121214); }
a { color: var(--link); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line); }
nav p { margin: 0 0 1rem; font-weight: 700; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: 0.2rem 0.5rem; border-radius: 6px; color: inherit; text-decoration: none; }
nav li a:hover, nav a[aria-current] { background: var(--soft); }
main { max-width: 54rem; padding: 2rem 2.5rem 4rem; }
h1, h2, h3 { line-height: 1.25; margin: 2em 0 0.6em; }
h1 { margin-top: 0; }
h1 > a, h2 > a, h3 > a, h4 > a { visibility: hidden; text-decoration: none; font-weight: 400; }
:is(h1, h2, h3, h4):hover > a, :is(h1, h2, h3, h4) > a:focus { visibility: visible; }
pre { background: var(--soft); padding: 1rem; overflow-x: auto; border-radius: 8px; }
code { font: 0.875em/1.5 ui-monospace, monospace; }
:not(pre) > code { background: var(--soft); padding: 0.1em 0.35em; border-radius: 4px; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.8rem; border: 1px solid var(--line); }
img { max-width: 100%; border: 1px solid var(--line); border-radius: 8px; }
footer { display: flex; justify-content: space-between; margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`
