import type { Translate } from './translate.ts';

/** Formats an age in milliseconds in its largest unit, such as `3 min ago`. */
export function ageText(age: number, t: Translate): string {
  if (!Number.isFinite(age)) return '';
  const minutes = Math.floor(age / 60_000);
  if (minutes < 1) return t('just now');
  if (minutes < 60) return t('{0} min ago', minutes);
  if (minutes < 60 * 24) return t('{0} h ago', Math.floor(minutes / 60));
  return t('{0} d ago', Math.floor(minutes / (60 * 24)));
}
