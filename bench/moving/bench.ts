// Worlds that move, in the service as `npm start` runs it: what pending events cost a request, how fast the story goes, and how long
// a sleep takes.
import { findInterpreters } from '../../sandbox/stage/interpreters.ts'
import { sampleCompany } from '../../server/src/worlds/sample.ts'
import { countingOrphans } from '../parts/cpu.ts'
import { startService } from '../parts/running-service.ts'
import { measureSleeping } from './sleeping.ts'
import { measureMoving } from './speed.ts'

const { python } = await findInterpreters(process.env.PATH ?? '')
if (!python) throw new Error('This needs python3, under which processor time is counted.')
await countingOrphans(python.executable)
await using service = await startService()
await measureMoving(service, sampleCompany)
await measureSleeping(service, sampleCompany)
