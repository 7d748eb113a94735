import type { TrialDetail } from '@diorama/contract'
import { useState } from 'react'
import { addressOf, markHeaders } from '../../api.ts'
import { Table } from '../../parts/lists/table.tsx'
import { Payload } from '../../parts/payload.tsx'
import { Empty } from '../../parts/states.tsx'
import { saveFrom } from '../../save-file.ts'
import { byteSize } from '../../words.ts'

const address = (trial: TrialDetail, name: string) =>
  addressOf('/v1/backtests/jobs/{jobId}/trials/{trialId}/artifacts/{name}', {
    jobId: trial.job_id,
    trialId: trial.id,
    name,
  })

const maxShown = 200_000

/** The files that the agent left. */
export const Artifacts = ({ trial }: { trial: TrialDetail }) => {
  const [shown, setShown] = useState<{ name: string; text: string }>()
  const show = async (name: string) => {
    const reply = await fetch(address(trial, name), { headers: markHeaders })
    setShown({
      name,
      text: reply.ok
        ? (await reply.text()).slice(0, maxShown)
        : `The file couldn't be read (${reply.status}).`,
    })
  }
  const save = (name: string) =>
    saveFrom(address(trial, name), name.split('/').at(-1) ?? name).catch((error: Error) =>
      setShown({ name, text: error.message }),
    )
  if (trial.artifacts.length === 0) return <Empty title="No artifacts." />
  return (
    <>
      <Table
        label="Files"
        rows={trial.artifacts}
        keyOf={({ name }) => name}
        columns={[
          {
            name: 'File',
            cell: ({ name }) => (
              <button type="button" className="plain" onClick={() => void show(name)}>
                {name}
              </button>
            ),
          },
          { name: 'Size', look: 'number', cell: ({ size }) => byteSize(size) },
          {
            name: 'Save',
            unnamed: true,
            cell: ({ name }) => (
              <button type="button" className="link" onClick={() => void save(name)}>
                Save<span className="unseen"> {name}</span>
              </button>
            ),
          },
        ]}
      />
      {shown ? <Payload body={shown.text} label={shown.name} /> : null}
    </>
  )
}
