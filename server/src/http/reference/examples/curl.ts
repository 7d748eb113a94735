import { type Call, fileName } from './call.ts'

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const curlText = ({ route, example, path, answer }: Call, baseUrl: string, own?: string): string => {
  const query = new URLSearchParams(
    Object.entries(example.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const filled = path.reduce<string>((at, [name, value]) => at.replace(`{${name}}`, value), route.path)
  const address = `${baseUrl}${filled}${query.size > 0 ? `?${query}` : ''}`
  const sendsBody = example.body !== undefined || example.file !== undefined || own !== undefined
  const words = [
    `curl${route.method === 'GET' || (route.method === 'POST' && sendsBody) ? '' : ` --request ${route.method}`} ${query.size > 0 ? shellQuoted(address) : address}`,
    ...(route.scope === 'none' ? [] : ['--header "Authorization: Bearer $DIORAMA_API_KEY"']),
    ...(own === undefined ? [] : [own]),
    ...(example.body === undefined
      ? []
      : [
          "--header 'Content-Type: application/json'",
          `--data ${shellQuoted(JSON.stringify(example.body, null, 2))}`,
        ]),
    ...(example.file === undefined
      ? []
      : [`--header 'Content-Type: ${route.takes?.[0]}'`, `--data-binary @${example.file}`]),
    ...(answer === 'stream' ? ['--no-buffer'] : []),
    ...(answer === 'bytes' ? [`--output ${fileName(route)}`] : []),
  ]
  return words.join(' \\\n  ')
}
