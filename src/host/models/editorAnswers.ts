import type { LanguageModelPart } from '../../acp/gatehouse/client.ts';
import type { Disposable } from '../../base/disposable.ts';

/** The answers of the editor's models that are under way. */
export interface EditorAnswers {
  /** `take` gets the parts of one answer until it is disposed. It resolves when the next part may come. */
  listen(callId: string, take: (part: LanguageModelPart['part']) => Promise<void>): Disposable;
  /** Parts of an answer that nobody wants any more are dropped. */
  receive(message: LanguageModelPart): Promise<void>;
}

export function createEditorAnswers(): EditorAnswers {
  const takers = new Map<string, (part: LanguageModelPart['part']) => Promise<void>>();
  return {
    listen(callId, take) {
      takers.set(callId, take);
      return { dispose: () => void takers.delete(callId) };
    },
    receive: async ({ callId, part }) => takers.get(callId)?.(part),
  };
}
