/** Which events were shown, the latest ones: a producer may send an event twice, and nobody wants to see it twice. */
const MAX_REMEMBERED = 10_000;

export interface SeenEvents {
  /** `clash`: another content under an id that was seen. */
  add(eventId: string, contentHash: string): 'new' | 'repeat' | 'clash';
}

export const createSeenEvents = (maxRemembered = MAX_REMEMBERED): SeenEvents => {
  const hashes = new Map<string, string>();
  return {
    add: (eventId, contentHash) => {
      const known = hashes.get(eventId);
      if (known !== undefined) return known === contentHash ? 'repeat' : 'clash';
      hashes.set(eventId, contentHash);
      if (hashes.size > maxRemembered) {
        for (const oldest of hashes.keys()) {
          hashes.delete(oldest);
          break;
        }
      }
      return 'new';
    },
  };
};
