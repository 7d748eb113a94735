import type { modelCallRoutes } from '@diorama/contract'
import { notFound } from '../../http/api-error.ts'
import type { Handlers } from '../../http/handler.ts'
import type { CallStore } from './store.ts'

/** Whether runs and trials are there, and whose they are. */
export interface JobLookup {
  findJob(organizationId: string, id: string): Promise<unknown>
  findTrial(jobId: string, id: string): Promise<unknown>
}

export const callHandlers = (calls: CallStore, jobs: JobLookup): Handlers<typeof modelCallRoutes> => {
  const requireJob = async (organizationId: string, jobId: string): Promise<void> => {
    if (!(await jobs.findJob(organizationId, jobId))) throw notFound('run')
  }
  return {
    listModelCalls: async ({ caller, params, query }) => {
      await requireJob(caller.organizationId, params.jobId)
      if (!(await jobs.findTrial(params.jobId, params.trialId))) throw notFound('trial')
      return calls.list(params.jobId, params.trialId, query)
    },
    readModelCall: async ({ caller, params }) => {
      const call = await calls.find(caller.organizationId, params.callId)
      if (!call) throw notFound('model call')
      return call
    },
    readModelUsage: async ({ caller, params }) => {
      await requireJob(caller.organizationId, params.jobId)
      return calls.usage(params.jobId)
    },
  }
}
