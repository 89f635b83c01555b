import type { Plugin } from 'esbuild';

export function importUsedZod(): Plugin;
export function useNamespace(source: string): string;
