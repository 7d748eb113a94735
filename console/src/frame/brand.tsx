/** The product's mark; its name is next to it. */
export const Brand = ({ size }: { size: number }) => (
  <svg width={`${size / 10}rem`} height={`${size / 10}rem`} viewBox="0 0 16 16" aria-hidden="true">
    <rect width="16" height="16" rx="4" className="brand-field" />
    <path d="M3.5 11.5V7L8 4.2 12.5 7v4.5z M6.2 11.5V9h3.6v2.5" className="brand-line" />
  </svg>
)
