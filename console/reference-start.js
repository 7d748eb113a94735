// Starts the API reference. Requests that are tried out go to the service itself, with the session of the person who
// is signed in to the console: the header shows that no other page asks.
const plainFetch = globalThis.fetch
globalThis.fetch = (input, init) => {
  const request = new Request(input, init)
  if (new URL(request.url).origin === location.origin) request.headers.set('x-diorama-console', '1')
  return plainFetch(request)
}

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
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  metaData: { title: 'Diorama API reference' },
})
