<?php

declare(strict_types=1);

namespace Tefo\Http;

/**
 * A list: `foreach ($tefo->invoices->list() as $invoice)` reads it to its end, page by page; `page()` is the first page.
 *
 * @template T
 * @implements \IteratorAggregate<int, T>
 */
final class Pages implements \IteratorAggregate
{
    /**
     * @internal
     * @param array<string, mixed> $query
     */
    public function __construct(
        private readonly Transport $transport,
        private readonly string $path,
        private readonly array $query,
    ) {
    }

    /** @return array{data: list<T>, hasMore: bool, nextCursor: string|null} */
    public function page(): array
    {
        return $this->transport->json('GET', $this->path, query: $this->query);
    }

    /** @return \Generator<int, array{data: list<T>, hasMore: bool, nextCursor: string|null}> */
    public function pages(): \Generator
    {
        $cursor = isset($this->query['endingBefore']) ? 'endingBefore' : 'startingAfter';
        $page = $this->page();
        yield $page;
        while ($page['hasMore'] && $page['nextCursor'] !== null) {
            $page = $this->transport->json('GET', $this->path, query: [$cursor => $page['nextCursor']] + $this->query);
            yield $page;
        }
    }

    /** @return \Generator<int, T> */
    public function getIterator(): \Generator
    {
        foreach ($this->pages() as $page) {
            foreach ($page['data'] as $one) {
                yield $one;
            }
        }
    }
}
