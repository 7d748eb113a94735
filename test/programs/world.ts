import { testSection } from '../../twins/chat/testing/section.ts'
import { section as trackerSection } from '../../twins/tracker/testing/world.ts'

const person = (handle: string, firstName: string, lastName: string, title: string, timezone: string) => ({
  ...{ handle, firstName, lastName, title, timezone, department: 'operations' },
  ...(handle === 'mira' ? { isApiOwner: true } : {}),
})

/** The small company of the twins' own tests, so that a program meets the same rows inside a trial as outside. */
export const company = {
  name: 'Northwind Supply',
  summary: 'A maker of small pumps.',
  clock: '2026-03-02T09:00:00Z',
  organization: {
    name: 'Northwind Supply',
    slug: 'northwind',
    description: 'A maker of small pumps.',
    industry: 'Manufacturing',
    emailDomain: 'northwind.example',
    headquarters: 'Hamburg, Germany',
  },
  identities: [
    person('mira', 'Mira', 'Okafor', 'Head of Operations', 'Europe/Berlin'),
    person('dev', 'Dev', 'Sharma', 'Engineer', 'Asia/Kolkata'),
    person('lucia', 'Lucía', 'Fernández', 'Account Executive', 'America/New_York'),
  ],
  scenario: {
    title: 'A day at work',
    narrative: 'Northwind is about to ship the P-200 pump.',
    threads: [],
    tasks: [],
  },
  twins: { chat: testSection, tracker: trackerSection },
}
