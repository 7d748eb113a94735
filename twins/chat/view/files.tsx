import {
  byteSize,
  Failure,
  Icon,
  markHeaders,
  saveFile,
  type TwinInstanceRecord,
} from '@diorama/console/view-kit'
import { useState } from 'react'
import type { ChatFile } from './read-chat.ts'

/** Larger pictures are saved instead of shown. */
const maxShown = 8_000_000

/**
 * The bytes, by the service's own API and as its own token allows. Twins are at this origin whatever address they
 * are known by outside, and the page's policy lets nothing else be asked.
 */
const fetchFile = async (twin: TwinInstanceRecord, team: string, file: ChatFile): Promise<Blob> => {
  const path = `/files-pri/${team}-${file.id}/download/${encodeURIComponent(file.name)}`
  const reply = await fetch(`/t/${twin.id}${path}`, {
    headers: { ...markHeaders, authorization: `Bearer ${twin.token}` },
    redirect: 'error',
  })
  if (!reply.ok)
    throw new Error(`The service did not give the file (${reply.status}): its token may not see it.`)
  return reply.blob()
}

/** The policy lets pictures be written into the page, but not be pointed at in memory. */
const asAddress = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error('The picture cannot be read.'))
    reader.readAsDataURL(blob)
  })

interface SharedFileProps {
  readonly twin: TwinInstanceRecord
  readonly team: string
  readonly file: ChatFile
}

/** A shared file: what it is, a look at it where it is a picture, and a way to keep it. */
export const SharedFile = ({ twin, team, file }: SharedFileProps) => {
  const [shown, setShown] = useState<string>()
  const [error, setError] = useState<Error>()
  const isPicture = file.type.startsWith('image/') && file.size <= maxShown
  const isServed = team !== '' && twin.status === 'running'
  const take = async (use: (blob: Blob) => unknown) => {
    setError(undefined)
    try {
      await use(await fetchFile(twin, team, file))
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }
  const show = () => void take(async (blob) => setShown(await asAddress(blob)))
  const keep = () => void take((blob) => saveFile(blob, file.name))
  return (
    <figure className="shared-file">
      {shown === undefined ? null : <img src={shown} alt={file.alt || file.title} />}
      <figcaption>
        <Icon name="file" size={14} />
        <span className="shared-name">
          <strong>{file.title || file.name}</strong>
          <span className="hint">
            {[file.title === file.name ? '' : file.name, file.kind || file.type, byteSize(file.size)]
              .filter((word) => word !== '')
              .join(' · ')}
          </span>
        </span>
        {isServed && isPicture && shown === undefined ? (
          <button type="button" className="link" onClick={show}>
            Show<span className="unseen"> {file.name}</span>
          </button>
        ) : null}
        {isServed ? (
          <button
            type="button"
            className="link"
            title="Asks the service, so it appears in the ledger"
            onClick={keep}
          >
            Save<span className="unseen"> {file.name}</span>
          </button>
        ) : null}
      </figcaption>
      {error ? <Failure error={error} /> : null}
    </figure>
  )
}
