import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { call } from '../api.ts'
import { useAsk } from '../ask.ts'
import { ServiceGlyph } from '../parts/service.tsx'
import { Answered, Failure } from '../parts/states.tsx'
import { plural } from '../words.ts'

/** Companies that are launched with one click. */
export const SampleGallery = () => {
  const samples = useAsk('listSamples', {}, { forever: true })
  const go = useNavigate()
  const client = useQueryClient()
  const launch = useMutation({
    mutationFn: async (slug: string) => {
      // What the service shipped is a blueprint; the reply's type only says that it is an object.
      const blueprint = (await call('readSample', { params: { slug } })) as never
      return call('launchWorld', { body: { blueprint } })
    },
    onSuccess: async ({ world }) => {
      await client.invalidateQueries()
      await go({ to: '/worlds/$worldId/$tab', params: { worldId: world.id, tab: 'story' } })
    },
  })
  const demo = useMutation({
    mutationFn: async () => (await import('./demo.ts')).runDemo(),
    onSuccess: async (jobId) => {
      await client.invalidateQueries()
      await go({ to: '/evaluations/$jobId', params: { jobId } })
    },
  })
  const isBusy = launch.isPending || demo.isPending
  return (
    <section className="section" aria-label="Companies to start from">
      <h2>Start with a company</h2>
      <p className="quiet">
        A world is a company made of connected services. Launch one of these, or describe your own.
      </p>
      <p className="chips">
        <button type="button" className="button" disabled={isBusy} onClick={() => demo.mutate()}>
          {demo.isPending ? 'Starting the demo…' : 'Run the demo'}
        </button>
        <Link to="/worlds/new" search={{ view: 'form' }} className="button">
          Start from a form
        </Link>
        <Link to="/worlds/new" className="button">
          Write a blueprint
        </Link>
        <span className="hint">The demo launches a company and compares two scripted agents in it.</span>
      </p>
      {launch.error ? <Failure error={launch.error} /> : null}
      {demo.error ? <Failure error={demo.error} /> : null}
      <Answered asked={samples}>
        {({ items }) => (
          <ul className="gallery">
            {items.map(({ slug, name, summary, services, people, tasks }) => (
              <li key={slug} className="world-card sample-card">
                <span className="world-card-head">
                  <strong>{name}</strong>
                  <button
                    type="button"
                    className="button is-primary"
                    disabled={isBusy}
                    onClick={() => launch.mutate(slug)}
                  >
                    {launch.isPending && launch.variables === slug ? 'Launching…' : 'Launch'}
                    <span className="unseen"> {name}</span>
                  </button>
                </span>
                <span className="world-card-summary">{summary}</span>
                <span className="world-card-foot">
                  <span className="world-card-services">
                    {services.map((service) => (
                      <ServiceGlyph key={service} service={service} />
                    ))}
                  </span>
                  <span>{plural(people, 'person', 'people')}</span>
                  <span>{plural(tasks, 'task')}</span>
                  <Link to="/worlds/new" search={{ view: 'form', source: slug }}>
                    Edit first<span className="unseen"> {name}</span>
                  </Link>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Answered>
    </section>
  )
}
