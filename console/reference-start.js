// Starts the API reference. Requests that are tried out go to the service itself, with the session of the person who
// is signed in to the console: the header shows that no other page asks.
const customFetch = (input, init) => {
  const request = new Request(input, init)
  if (new URL(request.url).origin === location.origin) request.headers.set('x-diorama-console', '1')
  // The form sends the scheme alone if no key was typed, which would hide the session.
  if (/^bearer\s*$/i.test(request.headers.get('authorization') ?? '')) request.headers.delete('authorization')
  return fetch(request)
}

// The renderer's quiet and coloured texts are lighter than people with weak sight can read.
const customCss = `
.light-mode {
  --scalar-color-2: #5c5c5c;
  --scalar-color-3: #636363;
  --scalar-color-blue: #00609c;
  --scalar-color-green: #0a6b3d;
  --scalar-color-orange: #9a4a00;
  --scalar-color-red: #b3152c;
  --scalar-color-purple: #5b21b6;
  --scalar-color-yellow: #7a5d00;
}
.dark-mode {
  --scalar-color-2: #b5b5b5;
  --scalar-color-3: #a3a3a3;
}`

// Its buttons to copy have a name only while they are pointed at.
const nameButtons = () => {
  for (const button of document.querySelectorAll('button:not([aria-label])'))
    if (button.matches('[class*="copy-button"]')) button.setAttribute('aria-label', 'Copy')
}
new MutationObserver(nameButtons).observe(document.body, { childList: true, subtree: true })

globalThis.Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'json',
  customCss,
  // Each operation brings its own examples: curl, and the calls of the TypeScript and Python clients.
  hiddenClients: true,
  customFetch,
  modelsSectionLabel: 'Schemas',
  metaData: { title: 'Diorama API reference' },
})
