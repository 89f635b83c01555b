import { createElement, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Streamdown } from 'streamdown';

/** The text so far. As in the chat, it is drawn at most once a frame. */
function Answer({ box }) {
  const [text, setText] = useState('');
  useEffect(() => {
    let waiting = '';
    let asked = false;
    const draw = () => {
      asked = false;
      const more = waiting;
      waiting = '';
      setText((before) => before + more);
    };
    window.addEventListener('message', ({ data }) => {
      for (const change of data.changes ?? []) waiting += change.text;
      if (!asked) requestAnimationFrame(draw);
      asked = true;
    });
  }, []);
  useEffect(() => {
    box.scrollTop = box.scrollHeight;
  }, [box, text]);
  return createElement(Streamdown, null, text);
}

const box = document.createElement('div');
box.style.cssText = 'height: 700px; overflow-y: auto';
document.body.replaceChildren(box);
createRoot(box).render(createElement(Answer, { box }));
