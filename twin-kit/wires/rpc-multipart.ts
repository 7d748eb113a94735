export interface RpcFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

export interface Multipart {
  readonly fields: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, RpcFile>>
}

/** A body that claims more parts than this is not read. */
const maxParts = 200

/** Reads a multipart body; undefined when it is not one. Bytes of files are kept as they came. */
export const readMultipart = (body: Uint8Array, contentType: string): Multipart | undefined => {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType)
  const mark = boundary?.[1] ?? boundary?.[2]
  if (!mark) return undefined
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const fields: Record<string, string> = {}
  const files: Record<string, RpcFile> = {}
  let at = bytes.indexOf(`--${mark}`)
  if (at === -1) return undefined
  for (let n = 0; n < maxParts; n++) {
    const start = at + mark.length + 2
    if (bytes.subarray(start, start + 2).toString('latin1') === '--') return { fields, files }
    const next = bytes.indexOf(`\r\n--${mark}`, start)
    if (next === -1) return undefined
    const part = readPart(bytes.subarray(start + 2, next))
    if (part?.file) files[part.name] = part.file
    else if (part) fields[part.name] = part.text
    at = next + 2
  }
  return undefined
}

const readPart = (part: Buffer) => {
  const end = part.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = part.subarray(0, end).toString('utf8')
  const bytes = part.subarray(end + 4)
  const name = parameter(head, 'name')
  if (name === undefined) return undefined
  const fileName = parameter(head, 'filename')
  const type = /^content-type:\s*(.+)$/im.exec(head)?.[1]?.trim() ?? 'application/octet-stream'
  const file = fileName === undefined ? undefined : { name: fileName, type, bytes: new Uint8Array(bytes) }
  return { name, file, text: file ? '' : bytes.toString('utf8') }
}

const parameter = (head: string, name: string): string | undefined => {
  const found = new RegExp(`[;\\s]${name}=(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(head)
  return found?.[1] ?? found?.[2]
}
