import { describeHostileAgents } from '../testing/attacks/hostile-agents.ts'
import { openTrialUnderAttack } from '../testing/trial-under-attack.ts'

describeHostileAgents(() => openTrialUnderAttack(process.env.PATH ?? ''))
