/** A queue per id that runs work sequentially and tells each caller whether it had to wait. */
export function keyedQueue(): <T>(id: string, work: (hasWaited: boolean) => Promise<T>) => Promise<T> {
  const queues = new Map<string, Promise<unknown>>();
  return (id, work) => {
    const before = queues.get(id);
    const turn = before ? before.then(() => work(true)) : work(false);
    const tail = turn.catch(() => {});
    queues.set(id, tail);
    void tail.then(() => {
      if (queues.get(id) === tail) queues.delete(id);
    });
    return turn;
  };
}
