"""Go, plainly: a board is a dictionary from points to colours, a chain a set that is searched, the past a list.

It knows nothing of how `games.go` keeps its records; a point is (row, column), a colour "black" or "white".
"""

OTHER = {"black": "white", "white": "black"}


class Go:
    def __init__(self, size, ko):
        self.size, self.ko = size, ko
        self.board = {}
        self.boards = [{}]  # after each move
        self.to_move = "black"
        self.passes = 0
        self.captures = 0

    def beside(self, point):
        row, column = point
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [(r, c) for r, c in around if 0 <= r < self.size and 0 <= c < self.size]

    def chain(self, board, point):
        """The stones connected to the one at `point`, and the empty points beside them."""
        stones, liberties, todo = {point}, set(), [point]
        while todo:
            for other in self.beside(todo.pop()):
                if other not in board:
                    liberties.add(other)
                elif board[other] == board[point] and other not in stones:
                    stones.add(other)
                    todo.append(other)
        return stones, liberties

    def after(self, point):
        """The board after the player to move has played `point`, and the stones taken; None for suicide."""
        board = {**self.board, point: self.to_move}
        taken = set()
        for other in self.beside(point):
            if board.get(other) == OTHER[self.to_move]:
                stones, liberties = self.chain(board, other)
                if not liberties:
                    taken |= stones
        for stone in taken:
            del board[stone]
        return (board, taken) if self.chain(board, point)[1] else (None, taken)

    def is_legal(self, point):
        if point in self.board:
            return False
        board, taken = self.after(point)
        if board is None:
            return False
        if self.ko == "positional":
            return board not in self.boards
        # simple ko: the one stone just taken is not taken back by what would take one stone
        return not (len(taken) == 1 and len(self.boards) > 1 and board == self.boards[-2])

    def play(self, point):
        """Play a point, or pass with None."""
        if point is None:
            self.passes += 1
        else:
            self.board, taken = self.after(point)
            self.captures += len(taken)
            self.passes = 0
        self.boards.append(self.board)
        self.to_move = OTHER[self.to_move]

    def area(self, colour):
        """Return the number of points that have a stone of the colour, or lead over empty points to no other."""
        count, visited = sum(stone == colour for stone in self.board.values()), set()
        for start in [(r, c) for r in range(self.size) for c in range(self.size)]:
            if start in self.board or start in visited:
                continue
            region, colours, todo = {start}, set(), [start]
            while todo:
                for other in self.beside(todo.pop()):
                    if other in self.board:
                        colours.add(self.board[other])
                    elif other not in region:
                        region.add(other)
                        todo.append(other)
            visited |= region
            if colours == {colour}:
                count += len(region)
        return count
