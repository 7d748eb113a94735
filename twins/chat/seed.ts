import type { ChatSection } from '@diorama/contract/blueprint/chat'
import type { Company, Seeding } from '../kernel/twin.ts'
import { seedChannels } from './seed/channels.ts'
import { seedMessages } from './seed/messages.ts'
import { seedPeople } from './seed/people.ts'

/** A blueprint's chat section as a workspace: people first, then channels, then what was said in them. */
export const seedChat = (section: ChatSection, company: Company, seeding: Seeding): void => {
  const cast = seedPeople(company, seeding)
  const channels = seedChannels(section, cast, seeding)
  seedMessages(section, cast, channels, seeding)
}
