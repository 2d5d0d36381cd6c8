"""Choices drawn from a seed. Everything random in a request goes through here, so that a seed tells it all."""
import random


class Dice:
    """A seeded source of choices."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one(self, choices):
        """One of a sequence."""
        return choices[self.random.randrange(len(choices))]

    def some(self, choices, least, most):
        """Between `least` and `most` different ones of a sequence, in drawn order."""
        count = min(len(choices), self.random.randint(least, most))
        return self.random.sample(list(choices), count)

    def chance(self, share):
        """True with the given probability."""
        return self.random.random() < share

    def int(self, low, high):
        """An integer between both ends, which are included."""
        return self.random.randint(low, high)

    def float(self, low, high, digits=3):
        """A number with few digits, so that it reads well and survives every notation."""
        return round(self.random.uniform(low, high), digits)

    def weighted(self, table):
        """A key of a table of weights."""
        return self.random.choices(list(table), list(table.values()))[0]

    def maybe(self, target, key, share, make):
        """Puts an optional key into `target` with the given probability."""
        if self.chance(share):
            target[key] = make() if callable(make) else make
