import { afterEach, beforeEach } from 'vitest';
import { openDesk, type Desk } from '../fakes/desk.ts';

/** A desk of its own for each test of a file. */
export const useDesk = (): (() => Desk) => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(() => desk[Symbol.asyncDispose]());
  return () => desk;
};
