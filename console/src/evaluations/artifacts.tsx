import type { TrialDetail } from '@diorama/contract'
import { useState } from 'react'
import { addressOf, markHeaders } from '../api.ts'
import { Payload } from '../parts/payload.tsx'
import { Empty } from '../parts/states.tsx'

const address = (trial: TrialDetail, name: string) =>
  addressOf('/v1/backtests/jobs/{jobId}/trials/{trialId}/artifacts/{name}', {
    jobId: trial.job_id,
    trialId: trial.id,
    name,
  })

const mostShown = 200_000

/** The files that the agent left. */
export const Artifacts = ({ trial }: { trial: TrialDetail }) => {
  const [shown, setShown] = useState<{ name: string; text: string }>()
  const show = async (name: string) => {
    const reply = await fetch(address(trial, name), { headers: markHeaders })
    setShown({
      name,
      text: reply.ok
        ? (await reply.text()).slice(0, mostShown)
        : `The file could not be read (${reply.status}).`,
    })
  }
  const save = async (name: string) => {
    const reply = await fetch(address(trial, name), { headers: markHeaders })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(await reply.blob())
    link.download = name.split('/').at(-1) ?? name
    link.click()
    URL.revokeObjectURL(link.href)
  }
  if (trial.artifacts.length === 0) return <Empty title="The agent left no files." />
  return (
    <>
      <table className="table narrow-table">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col" className="number">
              Bytes
            </th>
            <th scope="col">
              <span className="unseen">Save</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {trial.artifacts.map(({ name, size }) => (
            <tr key={name}>
              <td>
                <button type="button" className="plain" onClick={() => void show(name)}>
                  {name}
                </button>
              </td>
              <td className="number">{size.toLocaleString('en')}</td>
              <td>
                <button type="button" className="link" onClick={() => void save(name)}>
                  Save
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown ? <Payload body={shown.text} label={shown.name} /> : null}
    </>
  )
}
