/** An automatic number in its format: `ISS-{0000}` and 7 make `ISS-0007`. */
export const numberedAs = (format: string, number: number): string =>
  format.replace(/\{(0+)\}/, (_all, zeros: string) => String(number).padStart(zeros.length, '0'))
