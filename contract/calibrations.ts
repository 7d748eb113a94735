import { z } from 'zod'
import { PageQuery, pageOf, Timestamp } from './pages.ts'
import { routes } from './route.ts'
import { ScorerTest } from './scorers.ts'

/** An answer that a person has graded. */
export const CalibrationExample = ScorerTest.pick({
  input: true,
  output: true,
  expected: true,
  metadata: true,
  trial_id: true,
})
  .extend({
    label: z.string().min(1).max(200).meta({
      description:
        "What a person decided: one of the judge's choices; `pass` or `fail` where it has none, by its threshold, or 0.5.",
    }),
  })
  .meta({ id: 'CalibrationExample' })
export type CalibrationExample = z.infer<typeof CalibrationExample>

export const CalibrationRequest = z
  .object({
    examples: z.array(CalibrationExample).min(2).max(200),
  })
  .meta({ id: 'CalibrationRequest' })
export type CalibrationRequest = z.infer<typeof CalibrationRequest>

const Range = z.object({ low: z.number(), high: z.number() })

const Disagreement = z.object({
  example: z.int().meta({ description: 'Its place in the request, from 0.' }),
  label: z.string(),
  judged: z.string().nullable().meta({ description: 'Null where the judge gave no verdict.' }),
  score: z.number().nullable(),
  reason: z.string().nullable(),
  error: z.string().nullable(),
})

export const Calibration = z
  .object({
    id: z.string(),
    scorer_id: z.string(),
    scorer_version: z.int(),
    model: z.string().nullable().meta({ description: 'The model that judged, as provider/id.' }),
    examples: z.int(),
    answered: z.int().meta({ description: 'Examples that the judge decided. All figures rest on these.' }),
    cached: z.int().meta({ description: 'Of them, those whose verdict was known already.' }),
    labels: z.array(z.string()).meta({ description: 'In the order of the rows and columns of `confusion`.' }),
    confusion: z
      .array(z.array(z.int()))
      .meta({ description: "How often people gave the row's label and the judge the column's." }),
    agreement: z.number().nullable().meta({ description: 'The share of equal labels.' }),
    agreement_interval: Range.nullable().meta({ description: "Wilson's 95 % interval." }),
    kappa: z.number().nullable().meta({
      description:
        "Cohen's kappa: agreement beyond chance, 1 when perfect and 0 when no better. Null where only one label occurs.",
    }),
    kappa_interval: Range.nullable().meta({ description: 'The 95 % interval for large samples.' }),
    disagreements: z.array(Disagreement).meta({ description: 'Also examples without a verdict.' }),
    created_by: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'Calibration' })
export type Calibration = z.infer<typeof Calibration>

const scorerParams = z.object({ scorerId: z.string() })

export const calibrationRoutes = routes({
  calibrateScorer: {
    method: 'POST',
    path: '/v1/scorers/{scorerId}/calibrations',
    tag: 'Scorers',
    summary: 'Hold a judge against answers that people have graded, and keep how far they agree.',
    scope: 'suites:write',
    params: scorerParams,
    body: CalibrationRequest,
    status: 201,
    reply: Calibration,
    errors: ['not_found', 'invalid_reference', 'unavailable'],
    creates: true,
  },
  listCalibrations: {
    method: 'GET',
    path: '/v1/scorers/{scorerId}/calibrations',
    tag: 'Scorers',
    summary: "A judge's calibrations, newest first.",
    scope: 'suites:read',
    params: scorerParams,
    query: PageQuery,
    reply: pageOf(Calibration),
    errors: ['not_found', 'invalid_cursor'],
  },
})
