import { splitCode } from './splitCode.ts';

/** A sentence with code between backticks, as Markdown writes it; see `base/codeSpan.ts`. */
export function Sentence({ text }: { readonly text: string }) {
  return (
    <>
      {splitCode(text).map(({ code, text: part }, index) =>
        code ? <code key={index}>{part}</code> : part,
      )}
    </>
  );
}
