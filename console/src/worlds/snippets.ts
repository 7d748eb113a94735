import { kindOf } from '../parts/service.tsx'

export const languages = ['curl', 'JavaScript', 'Python'] as const
export type Language = (typeof languages)[number]

type Sample = NonNullable<ReturnType<typeof kindOf>>['sampleRead']

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
  const sample = kindOf(service)?.sampleRead
  return sample ? writers[language](sample, base, token) : ''
}
