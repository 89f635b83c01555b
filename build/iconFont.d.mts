import type { Plugin } from 'esbuild';

export function readIconNames(): Promise<readonly string[]>;
export function useIcons(names: readonly string[]): Plugin;
export function cutIcons(
  style: string,
  names: readonly string[],
  read: (file: string) => Buffer,
): string;
export function cutFont(font: Buffer, points: readonly number[]): Buffer;
