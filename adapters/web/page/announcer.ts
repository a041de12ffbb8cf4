import type { PageMessage } from '../protocol.ts';
import type { App } from './app.ts';
import { t } from './boot.ts';

const MAX_CHARS = 300;

const isWhole = ({ working, translation }: PageMessage): boolean =>
  !working && translation?.state !== 'growing';

/**
 * Tells those who listen what has been said: each message once, when it is complete, and not every
 * step of its growth.
 */
export const createLiveRegion = (app: App): (() => void) => {
  const told = new Set<string>();
  let begun = false;

  return () => {
    const { messages, channel, me } = app.store.get();
    // Pressed, an answer is made anew.
    for (const { id, working } of messages.values()) if (working) told.delete(id);
    const fresh = [...messages.values()].filter((each) => !told.has(each.id) && isWhole(each));
    for (const { id } of fresh) told.add(id);
    if (me && !begun) {
      begun = true;
      return;
    }
    const last = fresh.findLast((each) => each.channel === channel && each.author.id !== me?.id);
    if (!last) return;
    const text = document.querySelector<HTMLElement>(`#m-${CSS.escape(last.id)} .body`)?.innerText;
    const words = (text ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, MAX_CHARS);
    app.store.set({
      announcement: t('web.message.announce', { name: last.author.name, text: words }),
    });
  };
};
