import { randomUUID } from 'node:crypto';
import { CLOSE, speakMessage, speechUpdate } from '../../src/api/realtime/contract.ts';
import type { Clock } from '../../src/async/clock.ts';
import { streamable } from '../../src/audio/codec/encode.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { countCodePoints } from '../../src/text/unicode.ts';
import { validate } from '../body.ts';
import type { Engines, Offer } from '../engine-loader.ts';
import { invalidRequest } from '../errors.ts';
import type { KeyAccount } from '../keys/account.ts';
import { primed } from '../respond.ts';
import { speechBytes, synthesise } from '../speech/synthesise.ts';
import { checkText, chooseVoice, speedFields, allVoices } from '../speech/request.ts';
import type { SpeechOrder } from '../speech/speak.ts';
import type { Spools } from '../speech/spool.ts';
import { createAllowance } from '../allowance.ts';
import { parseFrame, createFaults, type Peer, type PeerSession } from './peer.ts';

const updateMessage = speechUpdate.extend({
  session: speechUpdate.shape.session.extend(speedFields),
});

/** Messages of a session; a sentence is one. */
const MESSAGES = { most: 50, perSecond: 5 };

export interface SpeechSessionDeps {
  readonly peer: Peer;
  readonly account: KeyAccount;
  readonly engines: Engines;
  readonly spools: Spools;
  /** Longest text, in Unicode characters. */
  readonly textLimit: number;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Voice, format and transport of a session. */
interface Setting {
  readonly offer: Offer<'speech'>;
  readonly order: Omit<SpeechOrder, 'text'>;
  readonly isBinary: boolean;
}

/** Starts a session of `/ws/tts/realtime`: one synthesis at a time. */
export const startSpeechSession = (deps: SpeechSessionDeps): PeerSession => {
  const { peer, account, engines, spools, textLimit, clock, log } = deps;
  const stop = new AbortController();
  const { signal } = stop;
  const { flood, fault } = createFaults(peer, log, stop);
  const messages = createAllowance(clock, MESSAGES);
  let setting: Setting | undefined;
  /** The message that is being served; others are refused or, after an update, wait for it. */
  let updating: Promise<void> | undefined;
  let isSpeaking = false;

  const update = async (message: unknown): Promise<void> => {
    const { session } = validate(updateMessage, message);
    const voices = await allVoices(engines, signal);
    const { offer, order } = chooseVoice(voices, session, account);
    setting = {
      offer,
      order: { ...order, speed: session.speed, stream: streamable(order.format) },
      isBinary: session.audio_transport !== 'base64_json',
    };
    peer.send({ type: 'session.updated' });
  };

  const speakSegment = async ({ offer, order, isBinary }: Setting, text: string): Promise<void> => {
    // The key may have changed since the update.
    account.checkVoicesOf(offer.name);
    account.admit('speech');
    const { format, sampleRateHz } = order;
    await using speech = synthesise({ ...order, text }, { offer, spools, account, signal });
    const file = order.stream ? speech : await speech.file();
    const audio = await primed(speechBytes(file, signal));
    peer.send({ type: 'tts.audio.start', format, sample_rate: sampleRateHz });
    for await (const chunk of audio) {
      signal.throwIfAborted();
      await peer.sendAudio(
        isBinary
          ? chunk
          : { type: 'tts.audio.delta', audio: Buffer.from(chunk).toString('base64') },
      );
    }
    peer.send({ type: 'tts.audio.done' });
    peer.send({ type: 'tts.usage', usage: { characters: countCodePoints(text) } });
  };

  const speak = async (message: unknown): Promise<void> => {
    const { text } = validate(speakMessage, message);
    checkText(text, textLimit);
    if (isSpeaking)
      throw invalidRequest(
        'A text is being spoken. Wait for tts.audio.done, or open another session.',
      );
    isSpeaking = true;
    try {
      await updating?.catch(() => undefined);
      if (!setting) throw invalidRequest('Send session.update with a voice first.');
      await speakSegment(setting, text);
    } finally {
      account.release();
      isSpeaking = false;
    }
  };

  const take = async (message: { readonly type: string }): Promise<void> => {
    switch (message.type) {
      case 'session.update':
        if (updating || isSpeaking)
          throw invalidRequest('The session is busy. Update it after tts.audio.done.');
        updating = update(message).finally(() => {
          updating = undefined;
        });
        return updating;
      case 'tts.speak':
        return speak(message);
      case 'session.close':
        peer.close(CLOSE.normal, '');
        stop.abort();
        return;
      default:
        throw invalidRequest('The type of the message is unknown.');
    }
  };

  peer.send({ type: 'session.created', session_id: randomUUID() });
  return {
    message: (text) => {
      if (signal.aborted) return;
      if (!messages.take(1)) return flood('messages come too fast');
      const serve = async (): Promise<void> => take(parseFrame(text));
      serve().catch(fault);
    },
    bytes: () => fault(invalidRequest('Binary frames are not supported. Send JSON.')),
    isBusy: () => isSpeaking,
    closed: () => stop.abort(),
  };
};
