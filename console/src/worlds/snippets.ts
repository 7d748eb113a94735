export const languages = ['curl', 'JavaScript', 'Python'] as const
export type Language = (typeof languages)[number]

interface Sample {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly scheme: string
}

/** One read that shows each service answering, in its own native form. */
const samples: Readonly<Record<string, Sample>> = {
  chat: { method: 'GET', path: '/api/conversations.list', scheme: 'Bearer ' },
  tracker: {
    method: 'POST',
    path: '/graphql',
    body: '{"query":"{ issues(first: 5) { nodes { identifier title } } }"}',
    scheme: '',
  },
  crm: {
    method: 'GET',
    path: '/services/data/v62.0/query?q=SELECT+CaseNumber,Subject,Status+FROM+Case',
    scheme: 'Bearer ',
  },
  erp: {
    method: 'GET',
    path: '/sap/opu/odata/sap/API_SALES_ORDER_SRV/A_SalesOrder?$format=json&$top=5',
    scheme: 'Bearer ',
  },
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const curl = ({ method, path, body, scheme }: Sample, base: string, token: string): string =>
  [
    `curl ${quoted(base + path)}`,
    `  -H ${quoted(`Authorization: ${scheme}${token}`)}`,
    ...(body ? ["  -H 'Content-Type: application/json'", `  -d ${quoted(body)}`] : []),
    ...(method === 'POST' && !body ? ['  -X POST'] : []),
  ].join(' \\\n')

const javascript = ({ method, path, body, scheme }: Sample, base: string, token: string): string =>
  `const reply = await fetch('${base}${path}', {
${method === 'POST' ? "  method: 'POST',\n" : ''}  headers: { authorization: '${scheme}${token}'${body ? ", 'content-type': 'application/json'" : ''} },${body ? `\n  body: JSON.stringify(${body}),` : ''}
})
console.log(await reply.json())`

const python = ({ path, body, scheme }: Sample, base: string, token: string): string =>
  `import json, urllib.request

request = urllib.request.Request(
    "${base}${path}",${body ? `\n    data=json.dumps(${body}).encode(),` : ''}
    headers={"Authorization": "${scheme}${token}"${body ? ', "Content-Type": "application/json"' : ''}},
)
print(json.load(urllib.request.urlopen(request)))`

const writers = { curl, JavaScript: javascript, Python: python }

/** A few lines that reach a service of a world. */
export const snippet = (service: string, language: Language, base: string, token: string): string => {
  const sample = samples[service]
  return sample ? writers[language](sample, base, token) : ''
}
