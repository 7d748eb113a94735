import type { EvaluationMode } from '@diorama/contract'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAll, useAsk } from '../ask.ts'

interface AgentChoiceProps {
  readonly chosen: readonly string[]
  readonly setChosen: (agents: readonly string[]) => void
  readonly mode: EvaluationMode
}

/** Agents in the order in which they were chosen: in a comparison the first is the baseline. */
export const AgentChoice = ({ chosen, setChosen, mode }: AgentChoiceProps) => {
  const agents = useAll('listAgents')
  const items = (agents.data?.items ?? []).filter(({ current_version }) => current_version !== null)
  const toggle = (agent: string) =>
    setChosen(chosen.includes(agent) ? chosen.filter((one) => one !== agent) : [...chosen, agent])
  const choice = (agent: string) => (
    <label key={agent} className="choice">
      <input type="checkbox" checked={chosen.includes(agent)} onChange={() => toggle(agent)} />
      <span>{agent}</span>
      {mode === 'compare' && chosen[0] === agent ? <span className="tag">baseline</span> : null}
    </label>
  )
  return (
    <fieldset className="choices">
      <legend className="legend">Agents</legend>
      {items.map(({ name, current_version, version_count }) => (
        <div key={name}>
          {choice(`${name}@${current_version}`)}
          {version_count > 1 ? (
            <Earlier name={name} current={current_version ?? ''} choice={choice} chosen={chosen} />
          ) : null}
        </div>
      ))}
      {agents.data && items.length === 0 ? (
        <p className="quiet">
          No agent is registered yet. <Link to="/agents">See how</Link>.
        </p>
      ) : null}
    </fieldset>
  )
}

interface EarlierProps {
  readonly name: string
  readonly current: string
  readonly chosen: readonly string[]
  readonly choice: (agent: string) => ReactNode
}

/** The other versions of an agent, for comparing it with itself. */
const Earlier = ({ name, current, chosen, choice }: EarlierProps) => {
  const isAsked = chosen.some((agent) => agent.startsWith(`${name}@`) && agent !== `${name}@${current}`)
  const [open, setOpen] = useState(isAsked)
  const agent = useAsk('readAgent', { params: { name } }, { when: open })
  const others = (agent.data?.versions ?? []).filter(({ version }) => version !== current)
  return (
    <div className="earlier">
      <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Fold' : 'Other'} versions of {name}
      </button>
      {open ? others.map(({ version }) => choice(`${name}@${version}`)) : null}
    </div>
  )
}
