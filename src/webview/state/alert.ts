import type { PageAlert } from '../messages/messages.ts';

/** The notes of the sound: frequency in Hz, start and length in seconds. */
const NOTES = [
  { frequency: 660, start: 0, length: 0.12 },
  { frequency: 880, start: 0.13, length: 0.18 },
] as const;
const VOLUME = 0.08;

/** Plays a short sound, and shows a notification of the system where that is permitted. */
export function showAlert({ sound, notification }: PageAlert): void {
  if (sound) playSound();
  if (notification === undefined || !('Notification' in window)) return;
  // Never ask for the permission; in most windows the editor doesn't delegate it.
  if (Notification.permission === 'granted') new Notification('Gatehouse', { body: notification });
}

/** An `<audio>` element would need a user gesture; Web Audio doesn't. */
function playSound(): void {
  const audio = new AudioContext();
  const volume = audio.createGain();
  volume.gain.value = VOLUME;
  volume.connect(audio.destination);
  for (const { frequency, start, length } of NOTES) {
    const note = audio.createOscillator();
    note.frequency.value = frequency;
    note.connect(volume);
    note.start(audio.currentTime + start);
    note.stop(audio.currentTime + start + length);
    note.onended = () => {
      if (frequency === NOTES.at(-1)?.frequency) void audio.close();
    };
  }
}
