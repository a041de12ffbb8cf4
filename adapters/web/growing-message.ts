import { realClock, sleep } from '../../src/async/clock.ts';
import type { Content } from '../../src/model/content.ts';
import type { ChannelLog } from './channel-log.ts';
import { TIMES } from './limits.ts';
import type { Render } from './platform.ts';

/** Each step costs every page the whole text so far: long texts grow in longer steps. */
const PACE_CHARS_PER_MS = 200;
const LONGEST_STEP_MS = 1_000;

const stepMs = (chars: number): number =>
  Math.min(LONGEST_STEP_MS, Math.max(TIMES.answerPaceMs, chars / PACE_CHARS_PER_MS));

/** Waits; ends early, without an error, when `signal` is aborted. */
type Rest = (ms: number, signal: AbortSignal) => Promise<void>;

const restFor: Rest = (ms, signal) => sleep(realClock, ms, signal).catch(() => undefined);

/** Draws what is shown onto one message of the channelLog, at a pace that pages take well. */
export const createGrowingMessage = (
  channelLog: ChannelLog,
  render: Render,
  id: string,
  rest: Rest = restFor,
) => {
  const finished = new AbortController();
  let latest: Content | undefined;
  let drawing: Promise<void> | undefined;
  let fault: unknown;

  const draw = async (): Promise<void> => {
    try {
      while (latest) {
        const content = latest;
        latest = undefined;
        const shown = await render(content);
        channelLog.change(id, shown);
        await rest(stepMs(shown.html.length), finished.signal);
      }
    } catch (error) {
      fault = error;
    }
    drawing = undefined;
  };

  return {
    /** Settles at once: what comes faster than pages take it is passed over. */
    show: async (content: Content): Promise<void> => {
      latest = content;
      drawing ??= draw();
    },
    /** Shows the last that came and that nothing follows; rejects when something could not be shown. */
    finish: async (): Promise<void> => {
      finished.abort();
      await drawing;
      channelLog.change(id, { working: false });
      if (fault !== undefined) throw fault;
    },
  };
};
