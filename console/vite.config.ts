import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { buildData } from './build-data.ts'

/** Small pictures stay separate files: the page's content security policy forbids inlining them. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), buildData()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2023',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
  },
})
