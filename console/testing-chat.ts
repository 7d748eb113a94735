import { crc32, deflateSync } from 'node:zlib'

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A picture of one colour. */
export const picture = (width: number, height: number): Uint8Array<ArrayBuffer> => {
  const line = Buffer.alloc(1 + width * 3, 120)
  line[0] = 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const parts = [
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return new Uint8Array(Buffer.concat(parts))
}

interface Reached {
  readonly baseUrl: string
  readonly token: string
}

/** What a test says and shares in a chat, by the chat's own API. */
export const openChat = ({ baseUrl, token }: Reached) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' }
  const ask = async (method: string, body: object): Promise<Record<string, string>> => {
    const reply = await fetch(`${baseUrl}/api/${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return await reply.json()
  }
  const share = async (channel: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
    const query = new URLSearchParams({ filename: name, length: String(bytes.length) })
    const reply = await fetch(`${baseUrl}/api/files.getUploadURLExternal?${query}`, { headers })
    const { upload_url, file_id } = await reply.json()
    await fetch(upload_url, { method: 'POST', body: bytes })
    await ask('files.completeUploadExternal', {
      files: [{ id: file_id, title: name }],
      channel_id: channel,
      initial_comment: 'Have a look.',
    })
  }
  return { ask, share }
}
