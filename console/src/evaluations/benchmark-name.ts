/** Which benchmark a suite was imported from, by its name. */
export const benchmarkOf = (suiteName: string | null): string | undefined =>
  /^(agent-diff|crmarena)\b/.exec(suiteName ?? '')?.[0]
