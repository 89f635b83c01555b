import Anser from 'anser';
import type { StyledText } from '../../state/outputStyles.ts';

/**
 * An output as runs of text with classes: the page's policy allows no inline styles, and a theme has
 * sixteen colors. Other colors become the nearest of them.
 */
export function toStyledTexts(text: string): readonly StyledText[] {
  return Anser.ansiToJson(text, { use_classes: true }).flatMap((part) => {
    if (part.content === '') return [];
    const { fg, bg, fg_truecolor, bg_truecolor, decorations } = part;
    const classes = [
      toClass(fg, fg_truecolor, 'fg'),
      toClass(bg, bg_truecolor, 'bg'),
      ...decorations.flatMap((each) => DECORATIONS[each] ?? []),
    ];
    return [{ text: part.content, classes: classes.filter(Boolean).join(' ') }];
  });
}

/** Blinking and hidden text stays as it is: the one disturbs, the other hides. Inverted colors are swapped already. */
const DECORATIONS: Readonly<Record<string, string>> = {
  bold: 'ansi-bold',
  dim: 'ansi-dim',
  italic: 'ansi-italic',
  underline: 'ansi-underline',
  strikethrough: 'ansi-strikethrough',
};

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

function toClass(color: string | null, rgb: string | null, ground: 'fg' | 'bg'): string {
  const name = color === null ? undefined : toName(color, rgb);
  return name === undefined ? '' : `ansi-${name}-${ground}`;
}

function toName(color: string, rgb: string | null): string | undefined {
  if (color === 'ansi-truecolor') return toNearest((rgb ?? '').split(',').map(Number));
  const index = /^ansi-palette-(\d+)$/.exec(color)?.[1];
  if (index !== undefined) return toNearest(toRgb(Number(index)));
  const name = color.replace('ansi-', '');
  return NAMES.some((each) => each === name.replace('bright-', '')) ? name : undefined;
}

/** A color of the cube, or of the grays, of 256 colors. */
function toRgb(index: number): readonly number[] {
  if (index >= 232) return Array.from({ length: 3 }, () => 8 + (index - 232) * 10);
  const at = index - 16;
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) =>
    step === 0 ? 0 : 55 + step * 40,
  );
}

/** By hue and brightness: the sixteen colors differ between themes, so there is no distance to them. */
function toNearest(rgb: readonly number[]): string | undefined {
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = rgb;
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (Number.isNaN(most)) return undefined;
  if (most - least < 32) {
    if (most < 64) return 'black';
    return most < 144 ? 'bright-black' : most < 224 ? 'white' : 'bright-white';
  }
  const half = (most + least) / 2;
  const hue = (red > half ? 1 : 0) + (green > half ? 2 : 0) + (blue > half ? 4 : 0);
  return `${most > 215 ? 'bright-' : ''}${NAMES[hue]}`;
}
