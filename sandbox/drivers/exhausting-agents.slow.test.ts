import { describeExhaustingAgents } from '../testing/attacks/exhausting-agents.ts'
import { openTrialUnderAttack } from '../testing/trial-under-attack.ts'

describeExhaustingAgents(() => openTrialUnderAttack(process.env.PATH ?? ''))
