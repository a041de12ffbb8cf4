import { describe, expect, it } from 'vitest';
import { recognitionEvent } from '../../../src/api/realtime/contract.ts';
import { operatorAccount } from '../../../service/keys/account.ts';
import {
  followingOffer,
  instantOffer,
  joined,
  openSession,
  silenceOf,
  soundOf,
} from './support.ts';

const SIX = [0, 1, 2, 3, 4, 5];
const TEXT = 'w0 w1 w2 w3 w4 w5';
const textsOf = (said: readonly { readonly text?: string }[]) => said.map(({ text }) => text);

describe('a session of realtime recognition with an engine that follows speech', () => {
  it('says each word when it is heard, and the whole text at the end, of sound that is sent once', async () => {
    const offer = followingOffer();
    const { hear, of, said } = openSession([offer]);
    await hear(joined(silenceOf(1), soundOf(SIX), silenceOf(1)));
    const texts = textsOf(of('asr.partial_result'));
    expect(texts).toEqual(SIX.map((_, at) => TEXT.slice(0, 3 * at + 2)));
    const [first] = of('asr.partial_result');
    expect(first!.atMs).toBeLessThanOrEqual(1_000 + 200);
    expect(of('asr.final_result')).toMatchObject([{ text: TEXT, language: 'en' }]);
    const [stopped] = of('speech_stopped');
    expect(of('asr.final_result')[0]!.atMs).toBe(stopped!.atMs);
    expect(offer.counts).toMatchObject({ opened: 1, open: 0, wholes: 0 });
    expect(offer.counts.samples).toBeLessThan(3.4 * 16_000);
    for (const { atMs: _, ...message } of said)
      expect(recognitionEvent.safeParse(message).success).toBe(true);
  });

  it('follows nothing while nobody speaks', async () => {
    const offer = followingOffer();
    await openSession([offer]).hear(joined(silenceOf(30)));
    expect(offer.counts).toMatchObject({ opened: 0, samples: 0 });
  });

  it('ends an utterance where the recogniser finds its end, and loses and doubles no word', async () => {
    const offer = followingOffer({ endsAt: 'w2' });
    const { hear, of } = openSession([offer]);
    await hear(joined(soundOf([0, 1, 2]), silenceOf(0.3), soundOf([3, 4, 5]), silenceOf(1)));
    expect(textsOf(of('asr.final_result'))).toEqual(['w0 w1 w2', 'w3 w4 w5']);
    expect(new Set(of('asr.final_result').map(({ utterance_id: id }) => id)).size).toBe(2);
    expect(offer.counts).toMatchObject({ opened: 2, open: 0, wholes: 0 });
  });

  it('recognises the whole utterance where its stream fails, and tells that nothing more is shown of it', async () => {
    const offer = followingOffer({ failsAt: 'w3' });
    const { hear, of } = openSession([offer]);
    await hear(joined(soundOf(SIX), silenceOf(1)));
    expect(textsOf(of('asr.final_result'))).toEqual([TEXT]);
    expect(offer.counts).toMatchObject({ wholes: 1, open: 0 });
    expect(of('error')).toEqual([]);
    const [started] = of('speech_started');
    expect(of('partials_stopped')).toMatchObject([{ utterance_id: started!.utterance_id }]);
  });

  it('recognises the whole utterance where its stream fails behind its end, and says no more of it', async () => {
    const offer = followingOffer({ failsAtEnd: true });
    const { hear, of } = openSession([offer]);
    await hear(joined(soundOf(SIX), silenceOf(1)));
    expect(textsOf(of('asr.final_result'))).toEqual([TEXT]);
    expect(of('partials_stopped')).toEqual([]);
  });

  it('recognises the whole utterance where the last words do not come', async () => {
    const offer = followingOffer({ hangs: true });
    const { hear, of, clock } = openSession([offer]);
    await hear(joined(soundOf(SIX), silenceOf(1)));
    expect(of('asr.final_result')).toEqual([]);
    await clock.advance(10_000);
    expect(textsOf(of('asr.final_result'))).toEqual([TEXT]);
    expect(offer.counts.open).toBe(0);
  });

  it('says of whom nothing is shown before the end, and loses none of it', async () => {
    const offer = followingOffer({ most: 2 });
    const sessions = Array.from({ length: 8 }, () => openSession([offer]));
    await Promise.all(sessions.map(({ hear }) => hear(joined(soundOf(SIX), silenceOf(1)))));
    const late = sessions.filter(({ of }) => of('speech_started')[0]?.partials === false);
    expect(late).toHaveLength(6);
    for (const { of } of late) expect(of('asr.partial_result')).toEqual([]);
    for (const { of } of sessions) expect(textsOf(of('asr.final_result'))).toEqual([TEXT]);
    expect(offer.counts).toMatchObject({ opened: 2, wholes: 6 });
  });

  it('gives the stream the language of the session, or the one that is expected', async () => {
    const offer = followingOffer({ languages: ['en', 'pt'] });
    const { hear, send } = openSession([offer]);
    send({ type: 'session.update', session: { language: 'auto', default_language: 'pt' } });
    await hear(joined(soundOf([1]), silenceOf(1)));
    send({ type: 'session.update', session: { language: 'en', default_language: 'pt' } });
    await hear(joined(soundOf([1]), silenceOf(1)));
    expect(offer.hinted.map(({ language }) => language)).toEqual(['pt', 'en']);
  });

  it('opens streams in the name of the key, for keys share them', async () => {
    const offer = followingOffer();
    for (const name of ['one', 'two'])
      await openSession([offer], operatorAccount(name)).hear(joined(soundOf([1]), silenceOf(1)));
    expect(offer.keys).toEqual(['one', 'two']);
  });

  it('recognises a language that no stream knows by another engine, while it is spoken', async () => {
    const offer = followingOffer({ languages: ['en'] });
    const { hear, of, send } = openSession([instantOffer(), offer]);
    send({ type: 'session.update', session: { language: 'ka' } });
    await hear(joined(soundOf(SIX), silenceOf(1)));
    expect(of('speech_started')[0]?.partials).toBeUndefined();
    expect(of('asr.partial_result').length).toBeGreaterThan(0);
    expect(textsOf(of('asr.final_result'))).toEqual([TEXT]);
    expect(offer.counts.opened).toBe(0);
  });

  it('frees the stream of a client that leaves', async () => {
    const offer = followingOffer();
    const { hear, session } = openSession([offer]);
    await hear(joined(soundOf(SIX)));
    expect(offer.counts.open).toBe(1);
    session.closed();
    expect(offer.counts.open).toBe(0);
  });

  it('waits for no last words of a client that has left', async () => {
    let released = 0;
    const account = { ...operatorAccount('one'), release: () => void (released += 1) };
    const { hear, session, clock } = openSession([followingOffer({ hangs: true })], account);
    await hear(joined(soundOf(SIX), silenceOf(1)));
    expect(released).toBe(0);
    session.closed();
    await clock.advance(0);
    expect(released).toBe(1);
  });

  it('doubles no word where an utterance is too long for the engine', async () => {
    const offer = followingOffer();
    const engine = { ...offer.engine, longestMs: 5_000 };
    const words = Array.from({ length: 30 }, (_, at) => at);
    const { hear, of } = openSession([{ ...offer, engine }]);
    const breaths = words.map((word) => joined(soundOf([word]), silenceOf(0.34)));
    await hear(Buffer.concat([...breaths, joined(silenceOf(1))]));
    const texts = textsOf(of('asr.final_result'));
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join(' ')).toBe(words.map((word) => `w${word}`).join(' '));
  });
});
