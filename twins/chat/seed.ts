import type { Company, Seeding } from '@diorama/twin-kit/kernel/twin'
import type { ChatSection } from './section.ts'
import { seedChannels } from './seed/channels.ts'
import { seedMessages } from './seed/messages.ts'
import { seedPeople } from './seed/people.ts'
import { flattenThreads } from './seed/threads.ts'

/** A blueprint's chat section as a workspace: people first, then channels, then what was said in them. */
export const seed = (section: ChatSection, company: Company, seeding: Seeding): void => {
  const cast = seedPeople(section, company, seeding)
  const channels = seedChannels(section, cast, seeding)
  seedMessages(flattenThreads(section), cast, channels, seeding)
}
