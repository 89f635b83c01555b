import { useState } from 'preact/hooks';
import { useSurroundings } from '../state/context.ts';
import type { DraftMessage } from './draft.ts';
import { isTextDrag, LARGEST_IMAGE, readBase64, readDropped, toUriLabel } from './dropped.ts';

/** Attaches what is pasted or dropped. `refused` says what was too large. */
export function useDropped(
  draft: Pick<DraftMessage, 'read' | 'settle'>,
  focus: EventTarget,
  field: { readonly current: HTMLTextAreaElement | null },
) {
  const { t, host } = useSurroundings();
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const [over, setOver] = useState(false);
  const take = (event: Event, data: DataTransfer | null) => {
    const { uris, images, text } = data === null ? NOTHING : readDropped(data);
    if (uris.length === 0 && images.length === 0) return text;
    event.preventDefault();
    for (const uri of uris) {
      // The extension knows whether it is a folder.
      const request = draft.read({ kind: 'file', label: toUriLabel(uri) });
      host.post({ type: 'attachUri', uri, request });
    }
    const large = images.find(({ size }) => size > LARGEST_IMAGE);
    const reason = large && t('imageTooLarge', large.name, LARGEST_IMAGE / 1024 / 1024);
    setRefused(reason);
    if (reason !== undefined) {
      focus.dispatchEvent(new CustomEvent('announce', { detail: { text: reason } }));
    }
    for (const image of images) if (image.size <= LARGEST_IMAGE) attachImage(image);
    return '';
  };
  const attachImage = (image: File) => {
    const { name, type: mediaType } = image;
    const request = draft.read({ kind: 'image', label: name });
    readBase64(image).then(
      (base64) => host.post({ type: 'attachImage', request, name, mediaType, base64 }),
      (error) => draft.settle(request, { fault: String(error) }),
    );
  };
  return {
    ...{ refused, over },
    // A text that is pasted is the input's.
    onPaste: (event: ClipboardEvent) => void take(event, event.clipboardData),
    onDragOver: (event: DragEvent) => {
      if (isOwn(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (isOwn(event)) return;
      const text = take(event, event.dataTransfer);
      // The page must not open what is dropped.
      event.preventDefault();
      field.current?.focus();
      // As if it were typed, so that it can be undone.
      if (text !== '') document.execCommand('insertText', false, text);
    },
  };
}

const NOTHING = { uris: [], images: [], text: '' } as const;

/** A text that is dragged to the input, or within it, goes where it is dropped. */
function isOwn({ target, dataTransfer }: DragEvent): boolean {
  return target instanceof HTMLTextAreaElement && isTextDrag(dataTransfer?.types ?? []);
}
