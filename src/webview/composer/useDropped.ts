import { useState } from 'preact/hooks';
import { useSurroundings } from '../state/context.ts';
import { LARGEST_IMAGE, readBase64, readDropped } from './dropped.ts';

/** Attaches what is pasted or dropped. `refused` says what was too large. */
export function useDropped(focus: EventTarget) {
  const { t, host } = useSurroundings();
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const [over, setOver] = useState(false);
  const take = (event: Event, data: DataTransfer | null) => {
    const { uris, images } = data === null ? { uris: [], images: [] } : readDropped(data);
    if (uris.length === 0 && images.length === 0) return;
    event.preventDefault();
    if (uris.length > 0) host.post({ type: 'attachUris', uris });
    const large = images.find(({ size }) => size > LARGEST_IMAGE);
    const reason = large && t('imageTooLarge', large.name, LARGEST_IMAGE / 1024 / 1024);
    setRefused(reason);
    if (reason !== undefined) {
      focus.dispatchEvent(new CustomEvent('announce', { detail: { text: reason } }));
    }
    for (const image of images) {
      if (image.size > LARGEST_IMAGE) continue;
      void readBase64(image).then((base64) =>
        host.post({ type: 'attachImage', name: image.name, mediaType: image.type, base64 }),
      );
    }
  };
  return {
    ...{ refused, over },
    onPaste: (event: ClipboardEvent) => take(event, event.clipboardData),
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      take(event, event.dataTransfer);
      // The page must not open what is dropped.
      event.preventDefault();
    },
  };
}
