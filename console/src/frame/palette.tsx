import { useNavigate, useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Dialog } from 'radix-ui'
import { type ReactNode, useEffect, useState } from 'react'
import { useAsk } from '../ask.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { setTheme, themes } from '../theme.ts'
import { useFound } from './found.ts'
import { leave } from './navigation.tsx'
import { places } from './places.ts'

interface PaletteProps {
  readonly open: boolean
  readonly setOpen: (open: boolean) => void
}

/** ⌘K: go to anything, do anything. */
export const Palette = ({ open, setOpen }: PaletteProps) => {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen(!open)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [open, setOpen])
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="palette" aria-describedby={undefined}>
          <Dialog.Title className="unseen">Search and commands</Dialog.Title>
          {open ? <Choices done={() => setOpen(false)} /> : null}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const Choice = ({
  icon,
  value,
  run,
  children,
}: {
  icon: IconName
  value: string
  run: () => void
  children: ReactNode
}) => (
  <Command.Item value={value} onSelect={run}>
    <Icon name={icon} size={14} />
    <span>{children}</span>
  </Command.Item>
)

const Choices = ({ done }: { done: () => void }) => {
  const go = useNavigate()
  const [typed, setTyped] = useState('')
  const then = (work: () => unknown) => () => {
    done()
    void work()
  }
  return (
    <Command label="Search and commands" loop>
      <Command.Input placeholder="Search or run a command…" value={typed} onValueChange={setTyped} />
      <Command.List>
        <Command.Empty>No results.</Command.Empty>
        <Command.Group heading="Actions">
          <Choice icon="plus" value="new world launch blueprint" run={then(() => go({ to: '/worlds/new' }))}>
            Launch a world
          </Choice>
          <Choice
            icon="plus"
            value="new evaluation run start"
            run={then(() => go({ to: '/evaluations/new' }))}
          >
            Start an evaluation
          </Choice>
          <Choice icon="plus" value="new agent register" run={then(() => go({ to: '/agents/new' }))}>
            Register an agent
          </Choice>
          <Choice
            icon="plus"
            value="new scorer write"
            run={then(() => go({ to: '/scorers/$scorerId', params: { scorerId: 'new' } }))}
          >
            Write a scorer
          </Choice>
          {themes.map((theme) => (
            <Choice key={theme} icon="sun" value={`theme ${theme}`} run={then(() => setTheme(theme))}>
              Theme: {theme}
            </Choice>
          ))}
          <Choice icon="exit" value="sign out leave" run={then(leave)}>
            Sign out
          </Choice>
        </Command.Group>
        <Command.Group heading="Go to">
          {places.map(({ to, icon, label }) => (
            <Choice key={to} icon={icon} value={`go ${label}`} run={then(() => go({ to }))}>
              {label}
            </Choice>
          ))}
        </Command.Group>
        <Records then={then} />
        <FoundGroups typed={typed} then={then} />
      </Command.List>
    </Command>
  )
}

const Records = ({ then }: { then: (work: () => unknown) => () => void }) => {
  const go = useNavigate()
  const query = { limit: 200 }
  const worlds = useAsk('listWorlds', { query }).data?.items ?? []
  const jobs = useAsk('listJobs', { query }).data?.items ?? []
  const suites = useAsk('listSuites', { query }).data?.items ?? []
  const agents = useAsk('listAgents', { query }).data?.items ?? []
  const scorers = useAsk('listScorers', { query }).data?.items ?? []
  return (
    <Command.Group heading="Records">
      {worlds.map(({ id, name, version }) => (
        <Choice
          key={id}
          icon="worlds"
          value={`world ${name} ${id}`}
          run={then(() => go({ to: '/worlds/$worldId/$tab', params: { worldId: id, tab: 'story' } }))}
        >
          {name} <small>version {version.number}</small>
        </Choice>
      ))}
      {jobs.map(({ id, name, status }) => (
        <Choice
          key={id}
          icon="evaluations"
          value={`run ${name} ${id}`}
          run={then(() => go({ to: '/evaluations/$jobId', params: { jobId: id } }))}
        >
          {name} <small>{status}</small>
        </Choice>
      ))}
      {suites.map(({ id, name }) => (
        <Choice
          key={id}
          icon="suites"
          value={`suite ${name} ${id}`}
          run={then(() => go({ to: '/suites/$suiteId', params: { suiteId: id } }))}
        >
          {name} <small>suite</small>
        </Choice>
      ))}
      {agents.map(({ name }) => (
        <Choice
          key={name}
          icon="agents"
          value={`agent ${name}`}
          run={then(() => go({ to: '/agents/$name', params: { name } }))}
        >
          {name} <small>agent</small>
        </Choice>
      ))}
      {scorers.map(({ id, name }) => (
        <Choice
          key={id}
          icon="suites"
          value={`scorer ${name} ${id}`}
          run={then(() => go({ to: '/scorers/$scorerId', params: { scorerId: id } }))}
        >
          {name} <small>scorer</small>
        </Choice>
      ))}
    </Command.Group>
  )
}

/** What is read only when something was typed. */
const FoundGroups = ({ typed, then }: { typed: string; then: (work: () => unknown) => () => void }) => {
  const router = useRouter()
  return useFound(typed).map(([heading, items]) =>
    items.length === 0 ? null : (
      <Command.Group key={heading} heading={heading}>
        {items.map(({ key, title, about, address }) => (
          <Choice
            key={key}
            icon="arrow"
            value={`${heading} ${title} ${about} ${key}`}
            run={then(() => router.history.push(address))}
          >
            {title} <small>{about}</small>
          </Choice>
        ))}
      </Command.Group>
    ),
  )
}
